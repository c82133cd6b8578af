"""The claims that an answer read out of statements rests on, in the statements' own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, topic_of
from hoptrail.agents.language.clauses import opening_clause_end
from hoptrail.agents.language.line_layout import LabelledPart
from hoptrail.agents.language.sentence_grammar import SentenceGrammar, Token
from hoptrail.agents.language.table_rows import cell_text, identifying_parts, row_name
from hoptrail.agents.language.topics import PERSONAL_PRONOUN, may_name_person
from hoptrail.agents.reading.candidates import Candidate, Surroundings
from hoptrail.agents.reading.query import Query, name_words
from hoptrail.agents.reading.statements import Statement
from hoptrail.agents.reading.values import Value, find_values
from hoptrail.core.text import flat
from hoptrail.core.types.draft import HopClaim

_CLAUSE_START = re.compile(
    r"(?:^\W*(?:\d{1,2}(?:\.\d{1,2})*[.)]?\s+)?|[;:(]\s*|,\s(?:and|but|while|whereas)\s|\s[-–—]\s)",
)
_CLAUSE_END = re.compile(
    r"\s{0,20}(?:[.;:()]{1,20}(?=\s|$)|\)|\s[-–—]\s|$|"
    r",\s(?:and|but|while|whereas|which|who|whose|where|so)\s)"
)
_PRONOUN = re.compile(r"(?:he|she|it|they|his|her|its|their|this|these|that)\b", re.IGNORECASE)
_QUOTE_MARK = re.compile(r"\n[ \t]*(?:>[ \t]*)+")
_HELPER_BEFORE = re.compile(
    r"(?<!\w)(?P<helper>will|would|can|could|shall|should|must|may|might|has|have|had|is|are|was|were|"
    r"be|been|being|not|also|now|never|still|already|only)\s+$"
)
_WORD = re.compile(r"[^\W\d_]+")
_CONJUNCTION = re.compile(r"and|or|&")
_OF_I = {"have": "has", "am": "is", "do": "does"}
_FEWEST_WORDS = 2
_LONGEST_REST = 12


def claims_of(query: Query, one: Candidate, around: Surroundings) -> tuple[HopClaim, ...]:
    """Return what the statements say of the link between them and of the answer, a claim each.

    Args:
        query: The question.
        one: The answer, with where it stands.
        around: The statements.
    """
    claims = []
    if one.lead is not None:
        lead = around.statements[one.lead]
        link = _link_in(lead, one.link)
        told = (
            _claim(query, lead, link, around.index)
            if link
            else _main_claim(query, lead, around.index)
        )
        claims.append(told)
    claims.append(_claim(query, around.statements[one.at], one.value, around.index))
    return tuple(claims)


def _link_in(lead: Statement, link: str) -> Value | None:
    at = lead.text.find(link) if link else -1
    return Value(link, at, at + len(link), "name") if at >= 0 else None


def _main_claim(query: Query, statement: Statement, index: EvidenceIndex) -> HopClaim:
    """Return what a statement says as a whole: its first clause, or a label and its cell."""
    text, chunk_id = statement.text, statement.sentence.chunk.id
    if statement.is_row:
        subject, part = _told_of_row(query, statement)
        return HopClaim(subject, part.label, cell_text(part, text), chunk_id)
    if statement.parts:
        part = statement.parts[0]
        return HopClaim(statement.sentence.topic_title, part.label, cell_text(part, text), chunk_id)
    start, end = clause_around(text, *_first_word(text, statement.said))
    verbs = _verbs(text, start, end)
    if not verbs:
        who = statement.speaker or statement.sentence.topic_title
        return HopClaim(who, "says", _line(text[start:end]), chunk_id)
    cut, stop = _with_helpers(text, start, verbs[0].start), verbs[0].end
    subject = _subject(text[start:cut], statement, index)
    stop_rest = _end_of_words(text, stop, end)
    predicate = _told_of(subject, text[cut:stop], statement)
    return HopClaim(subject, predicate, _line(text[stop:stop_rest]), chunk_id)


def _first_word(text: str, start: int) -> tuple[int, int]:
    word = _WORD.search(text, start)
    return word.span() if word else (start, len(text))


def _verbs(text: str, start: int, end: int, names: tuple[tuple[int, int], ...] = ()) -> list[Token]:
    """Return the verbs of a part of a sentence, none of its first word."""
    grammar = SentenceGrammar(text, names)
    return [
        token
        for place, token in enumerate(grammar.tokens)
        if grammar.is_verb(place) and start < token.start < end
    ]


def _with_helpers(text: str, start: int, verb: int) -> int:
    """Return where a verb's helpers begin: "will be taken", "has been"."""
    while helper := _HELPER_BEFORE.search(text, start, verb):
        if helper.start() <= start:
            break
        verb = helper.start("helper")
    return verb


def _claim(query: Query, statement: Statement, value: Value, index: EvidenceIndex) -> HopClaim:
    part = statement.part_at(value.start)
    if value.end <= statement.said:  # who speaks, by what is said
        return _main_claim(query, statement, index)
    opens = part is not None and not statement.text[part.start : value.start].strip(" *_(")
    if part is not None and (statement.is_row or opens):
        return _labelled(query, statement, value, part)
    return worded_claim(statement, value, index)


def worded_claim(statement: Statement, value: Value, index: EvidenceIndex) -> HopClaim:
    """Return what the clause that has a value says, in its own words.

    Args:
        statement: The sentence.
        value: One of its values.
        index: The evidence.
    """
    subject, predicate, object_ = _worded(statement, value, index)
    return HopClaim(subject, predicate, object_, statement.sentence.chunk.id)


def _labelled(query: Query, statement: Statement, value: Value, part: LabelledPart) -> HopClaim:
    """Return what a row or labelled line says of a value: what the row is about, label, value.

    A row is called by the cell that the question names, where several stand for it. Where the value
    is all that stands for it, the claim says of it what the cell beside has that is asked for.
    """
    chunk_id = statement.sentence.chunk.id
    text = statement.text
    if not statement.is_row:
        return HopClaim(statement.sentence.topic_title, part.label, value.text, chunk_id)
    names = [one for one in _names_of_row(statement) if one != part]
    if names:
        opens = not text[part.start : value.start].strip(" *_")
        object_ = value.text if opens else cell_text(part, text)
        return HopClaim(
            row_name(_most_asked(query, names, text), text), part.label, object_, chunk_id
        )
    told = _most_asked(query, [one for one in statement.parts if one != part], text)
    return HopClaim(value.text, told.label, cell_text(told, text), chunk_id)


def _told_of_row(query: Query, statement: Statement) -> tuple[str, LabelledPart]:
    """Return what a row is about, and which of its other cells the question names."""
    text = statement.text
    names = _names_of_row(statement) or statement.parts[:1]
    key = _most_asked(query, names, text)
    told = _most_asked(query, [one for one in statement.parts if one != key], text)
    return row_name(key, text), told


def _names_of_row(statement: Statement) -> tuple[LabelledPart, ...]:
    return identifying_parts(statement.parts, statement.text, statement.sentence.chunk.text)


def _most_asked(query: Query, parts: Sequence[LabelledPart], text: str) -> LabelledPart:
    """Return the cell that has most words of the question, the first among equals."""
    return max(parts, key=lambda one: len(name_words(cell_text(one, text)) & query.words))


def _worded(statement: Statement, value: Value, index: EvidenceIndex) -> tuple[str, str, str]:
    """Return subject, predicate and object of the clause that has a value, in its own words.

    The value is the object with the words before it as subject and predicate; where it opens the
    clause, it is the subject.
    """
    text = statement.text
    start, end = clause_around(text, value.start, value.end)
    before = text[start : value.start]
    told = before.split()
    verbs = _verbs(text, start, end, ((value.start, value.end),))
    if len(told) >= _FEWEST_WORDS:
        verb = next((one for one in verbs if one.end <= value.start), None)
        cut = (
            _with_helpers(text, start, verb.start)
            if verb
            else _without_verb(text, start, value.start)
        )
        subject, predicate = text[start:cut], text[cut : value.start]
        if _CONJUNCTION.fullmatch(_line(predicate)):  # the last of a list
            return _titled(statement), "names", value.text
        if subject.strip() and predicate.strip():
            named = _subject(subject, statement, index)
            return named, _told_of(named, predicate, statement), value.text
    rest_end = min(end, _end_of_words(text, value.end, end))
    verb = next((one for one in verbs if value.end <= one.start < rest_end), None)
    cut = verb.end if verb else value.end
    object_ = text[cut:rest_end]
    predicate = text[value.end : cut]
    if not predicate.strip(" ,") or not object_.strip(" ,"):
        predicate, object_ = _halved(text[value.end : rest_end])
    if not object_:
        return _titled(statement), _line(before) or "names", value.text
    return value.text, _line(predicate), _line(object_)


def _titled(statement: Statement) -> str:
    return statement.caption or statement.sentence.topic_title


def clause_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the clause begins and ends that a part of a sentence stands in."""
    begins = (
        one.end()
        for one in _CLAUSE_START.finditer(text, 0, start)
        if not ("(" in one.group() and ")" in text[one.end() : start])  # closed before the part
    )
    opening = opening_clause_end(text)
    left = max((*begins, opening if opening <= start else 0), default=0)
    right = _CLAUSE_END.search(text, end)
    return min(left, start), right.start() if right else len(text)


def _without_verb(text: str, start: int, end: int) -> int:
    """Return where the last word before a value begins: the subject ends there."""
    return start + len(text[start:end].rstrip().rpartition(" ")[0]) + 1


def _end_of_words(text: str, start: int, end: int) -> int:
    words = list(re.finditer(r"\S+", text[start:end]))
    return start + words[min(len(words), _LONGEST_REST) - 1].end() if words else end


def _halved(text: str) -> tuple[str, str]:
    words = flat(text.strip(" ,")).split()
    return " ".join(words[:1]), " ".join(words[1:])


def _subject(words: str, statement: Statement, index: EvidenceIndex) -> str:
    """Return a subject; of a pronoun what the sentence before is about, or the heading."""
    spelled = _line(words)
    if statement.speaker and spelled == "I":
        return statement.speaker
    if _PRONOUN.fullmatch(spelled) is None:
        return spelled
    named = _antecedents(statement, index)
    if PERSONAL_PRONOUN.match(spelled):
        named = (name for name in named if may_name_person(topic_of(name)))
    return next(named, spelled)


def _told_of(subject: str, predicate: str, statement: Statement) -> str:
    """Return a predicate, of a speaker in the third person: "have ordered" as "has ordered"."""
    told = _line(predicate)
    if not statement.speaker or subject != statement.speaker:
        return told
    first, space, rest = told.partition(" ")
    return f"{_OF_I.get(first, first)}{space}{rest}"


def _antecedents(statement: Statement, index: EvidenceIndex) -> Iterator[str]:
    sentence = statement.sentence
    if sentence.other:
        yield sentence.other
    if sentence.heading:
        yield sentence.heading
    for other in index.sentences[sentence.chunk.id]:
        if other.end <= sentence.start and other.key == sentence.before:
            opening = [one for one in find_values(other.text) if one.kind == "name"]
            if opening and not other.text[: opening[0].start].strip(" -*•"):
                yield opening[0].text
    if sentence.chunk.title:
        yield sentence.chunk.title


def _line(words: str) -> str:
    return flat(_QUOTE_MARK.sub(" ", words)).strip(' ,;:-–—*_"“”')
