"""True claims of the public question sets, each with the sentence that states it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.text import sentence_spans
from hoptrail.eval.json_files import Fields, read_json_lines
from hoptrail.eval.planted.claims import (
    PassageClaim,
    hints_at,
    plain_words,
    read_claims,
    sentences_of,
    spells,
    telling_words,
    values_in,
)
from hoptrail.eval.planted.relations import RELATIONS, RelationWording
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import Skipped

_QUALIFIER = re.compile(r"(?<!\s)\s*+\([^()]*+\)$")
_PRONOUN_ALONE = re.compile(r"(?:He|She|It|His|Her|Its)\b")
# After these words a sentence may speak of something else than its subject.
_DETOUR = re.compile(
    r"\b(?:who|whom|which|that|where|when|whose|based on|adapt\w+|sequel|remake|prequel|from the|"
    r"by|of the same name|series|starring|featuring|follow\w*|after|before|while|but|not|never)\b"
    r"|[\"“:;]"
)
_VERB = re.compile(
    r"\b(?:is|was|are|were|has|had|became|founded|wrote|won|joined|married|directed|attended|"
    r"released|produced|received|moved|played|served|studied|began|published|designed|built|lies|"
    r"contains|borders|serves|features|includes|signed|approved|bought|sold|made|opened|closed|costs|runs|leads|led|manages|reports|carries|holds|"
    r"owns|supplies|supplied|repaired|replaced|agreed|ordered|paid|chaired|weighs|measures)\b"
)
_WHOLE_PREDICATE = re.compile(rf"[\w -]*\b(?:by|in|of|at|to|for|on|with)|{_VERB.pattern}")
_LONGEST_PREDICATE = 8
_LONGEST_SUBJECT = 6
_NO_SUBJECT = re.compile(
    r"(?:In|On|At|By|For|From|After|Before|During|Since|When|While|If|As|With|Until|There|Here|It|He|She|"
    r"They|We|You|I|His|Her|Its|Their|My|Our|Your|This|That|These|Those|Who|What|Which|Where|Why|How|Both|"
    r"Some|One|Originally|Most|Recently|Currently|Today|First|Later|Once|Now|Also|Not|No|But|And|However|Please|Although|Another|Each|Other)\b"
)
_OTHER_CLAUSE = re.compile(
    r"\b(?:who|which|that|whose|because|but|not|to|will)\b|n't\b|\band$|\n|- "
)
_NO_FACT = re.compile(
    r"\b(?:and|not|never|no|will|would|to be|planned|may|might|should|must|if)\b|n't\b"
)
_ROOM_FOR_FULL_NAME = 60
# After an object that is a whole phrase: "in Paris." but not "an English actor".
_PHRASE_END = re.compile(
    r"$|[.,;)]|\s(?:and|or|in|at|on|from|with|as|for|to|by|who|which|that|where|when)\b"
)

_STEP = re.compile(r"^(?P<subject>.+?) >> (?P<predicate>.+)$")
_PRONOUN = re.compile(r"(?:he|she|it|his|her|its|the|this)\b", re.IGNORECASE)
_LONGEST_OBJECT = 6
_LONGEST_QUOTE = 350  # a longer one is a list or the run-on text of an infobox

JUDGED_OUT = frozenset(
    """64614fc8 b6640a18 c22255a7 51a35ca2 90ee6f37 5cb8fc61 51a15f78 2003f08b 93215aae 79d89124
    132dcbaf 3294ff43 1d0b3334 5cfab5e1""".split()
)
"""The last parts of claims' ids.

"His estates included Lathom House in Lancashire" does not state a place of death.
"""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a data set; `id` is the claims' `doc_id`."""

    id: str
    title: str
    text: str


def topic(title: str) -> str:
    """Return a title without its qualifier in parentheses."""
    return _QUALIFIER.sub("", title)


def worded_claims(passage: Passage) -> Iterator[PassageClaim]:
    """Yield what a passage's sentences state about its title in one of the known wordings.

    The subject is the title where a sentence begins with it, is the first of the passage and shares
    its words, or begins with a pronoun and no other person was named before.
    """
    for quote in _own_sentences(passage):
        for relation in RELATIONS:
            for object_ in _objects(relation, quote, passage):
                predicate = _chosen(relation.wordings(object_), passage.text, object_)
                yield _claim(passage, quote, topic(passage.title), predicate, object_)


def literal_claims(passage: Passage, quotes: Sequence[str]) -> Iterator[PassageClaim]:
    """Yield subject, verb and object of sentences, the predicate being all words between both.

    Args:
        passage: Where the sentences stand.
        quotes: Sentences of it.
    """
    for quote in quotes:
        subject = _subject(quote)
        if not subject or quote not in passage.text:
            continue
        rest = " ".join(quote[len(subject) :].split())
        for mention in values_in(rest):
            predicate = rest[: mention.start].strip()
            words = predicate.split()
            is_phrase = _PHRASE_END.match(rest, mention.end) is not None
            is_whole = _WHOLE_PREDICATE.fullmatch(predicate) and not _NO_FACT.search(predicate)
            if is_phrase and is_whole and len(words) <= _LONGEST_PREDICATE:
                yield _claim(passage, quote, " ".join(subject.split()), predicate, mention.text)
                break


def _own_sentences(passage: Passage) -> Iterator[str]:
    name = topic(passage.title)
    others: set[str] = set()
    for place, (start, end) in enumerate(sentence_spans(passage.text)):
        quote = passage.text[start:end]
        opening = telling_words(quote[: len(name) + _ROOM_FOR_FULL_NAME])
        is_lead = place == 0 and telling_words(name) <= opening
        pronoun = _PRONOUN_ALONE.match(quote)
        is_pronoun = pronoun is not None and not others and _same_sex(pronoun.group(), passage.text)
        if is_lead or quote.startswith(name) or is_pronoun:
            yield quote
        others |= set() if is_lead else _people(quote) - telling_words(name)


def _same_sex(pronoun: str, text: str) -> bool:
    """Return whether a pronoun may stand for what the text's first "he" or "she" stands for."""
    first = re.search(r"\b(?:he|she|his|her)\b", text, re.IGNORECASE)
    return first is None or pronoun[0].lower() in {"i", first.group()[0].lower()}


def _people(quote: str) -> set[str]:
    """Return the words of a name that opens the sentence: a later pronoun could stand for it."""
    first = next(iter(values_in(quote)), None)
    return set(telling_words(first.text)) if first is not None and first.start == 0 else set()


def _objects(relation: RelationWording, quote: str, passage: Passage) -> Iterator[str]:
    for pattern in relation.patterns:
        match = pattern.search(quote)
        if match is None:
            continue
        name = topic(passage.title)
        object_ = match["o"]
        is_anchored = pattern.pattern.startswith("^")
        if not is_anchored and _DETOUR.search(quote[: match.start()].replace(name, "")):
            continue
        if not hints_at(name, object_) and spells(quote, object_):
            yield object_
            return


def _subject(quote: str) -> str:
    """Return the words before a sentence's first verb, empty where they could be anything else."""
    verb = _VERB.search(quote)
    before = quote[: verb.start()].rstrip() if verb else ""
    words = before.split()
    is_plain = re.fullmatch(r"[\w'’.&\s-]+", before) is not None
    if not 0 < len(words) <= _LONGEST_SUBJECT or not is_plain or not words[0][:1].isupper():
        return ""
    return "" if _NO_SUBJECT.match(before) or _OTHER_CLAUSE.search(before) else before


def _chosen(options: Sequence[str], *parts: str) -> str:
    """Return one of the options, the same one for the same parts."""
    digest = hashlib.sha256("\n".join(parts).encode()).digest()
    return options[int.from_bytes(digest[:4], "big") % len(options)]


def claim_id(doc_id: str, quote: str, predicate: str, object_: str) -> str:
    """Return an id that the same claim has in every run."""
    digest = hashlib.sha256(f"{quote}\n{predicate}\n{object_}".encode()).hexdigest()
    return f"{doc_id}:{digest[:8]}"


def _claim(
    passage: Passage, quote: str, subject: str, predicate: str, object_: str
) -> PassageClaim:
    return PassageClaim(
        claim_id(passage.id, quote, predicate, object_),
        passage.id,
        passage.title,
        passage.text,
        quote,
        subject,
        predicate,
        object_,
    )


def load_claims(path: Path, form: str) -> list[PassageClaim]:
    """Return the true claims of a file, each once, without those that a reader judged not stated.

    Args:
        path: A JSON Lines file, or the folder of documents.
        form: One of `FORMS`.

    Raises:
        InputError: If the form is unknown, or the file is not of that form.
    """
    if form not in FORMS:
        raise InputError(f"no form {form!r}", hint=f"one of {', '.join(FORMS)}")
    claims = {claim.id: claim for claim in FORMS[form](path)}
    return [claim for id_, claim in claims.items() if id_.rpartition(":")[2] not in JUDGED_OUT]


def _question_set(path: Path) -> Iterator[PassageClaim]:
    """Yield the gold facts of questions, and what their paragraphs' sentences state."""
    passages: dict[tuple[str, str], Passage] = {}
    for question in read_json_lines(path):
        own = {}
        for place, item in enumerate(question.objects("paragraphs")):
            passage = _passage(item, f"{question.text('id')}/{place}")
            if passage is None:
                continue
            passage = passages.setdefault((passage.title, passage.text), passage)
            own[item.row.get("idx", place)] = passage
        yield from _evidence_triples(question, list(own.values()))
        yield from _decomposition(question, own)
    for passage in passages.values():
        yield from stated_claims(passage)


def _documents(path: Path) -> Iterator[PassageClaim]:
    """Yield what the sentences of a folder's documents state, passage by passage."""
    for document in load_documents([path]):
        if isinstance(document, Skipped):
            continue
        for chunk in chunk_document(document):
            yield from stated_claims(
                Passage(f"{document.id}#{chunk.start}", chunk.title, chunk.text)
            )


def stated_claims(passage: Passage) -> Iterator[PassageClaim]:
    """Yield what a passage's sentences state in known wordings, then in their own words."""
    yield from worded_claims(passage)
    yield from literal_claims(passage, tuple(sentences_of(passage.text)))


def _passage(item: Fields, id_: str) -> Passage | None:
    text = item.optional_text("text")
    return Passage(id_, item.optional_text("title") or "", text) if text else None


def _evidence_triples(question: Fields, passages: list[Passage]) -> Iterator[PassageClaim]:
    """Yield the gold triples of 2WikiMultiHopQA that a supporting passage states of its title."""
    for triple in question.items("evidences"):
        if not (isinstance(triple, list) and len(triple) == 3):
            raise question.error("the field 'evidences' is no list of triples")
        subject, predicate, object_ = map(str, triple)
        support = set(question.texts("supporting_titles"))
        for passage in passages:
            if passage.title in support and telling_words(subject) <= telling_words(passage.title):
                yield from _quoted(passage, subject, predicate, object_)


def _decomposition(question: Fields, own: dict[object, Passage]) -> Iterator[PassageClaim]:
    """Yield MuSiQue's steps of the form "subject >> predicate"."""
    answers: list[str] = []
    for step in question.objects("decomposition"):
        answer = step.optional_text("answer") or ""
        asked = _STEP.match(step.optional_text("question") or "")
        passage = own.get(step.row.get("paragraph_support_idx"))
        if asked and passage and answer:
            subject = re.sub(r"#(\d)", lambda n: _answer(answers, int(n[1])), asked["subject"])
            yield from _quoted(passage, subject.strip(), asked["predicate"].strip(), answer)
        answers.append(answer)


def _answer(answers: list[str], number: int) -> str:
    return answers[number - 1] if number <= len(answers) else ""


def _openie(path: Path) -> Iterator[PassageClaim]:
    """Yield extracted triples whose ends and predicate a sentence of their passage spells."""
    for row in read_json_lines(path):
        passage = _passage(row, row.text("passage_id"))
        for triple in row.items("triples") if passage else ():
            if passage and isinstance(triple, list) and len(triple) == 3:
                subject, predicate, object_ = map(str, triple)
                is_long = len(object_.split()) > _LONGEST_OBJECT
                for claim in () if is_long else _quoted(passage, subject, predicate, object_):
                    is_short = len(claim.quote) <= _LONGEST_QUOTE
                    if is_short and _is_in_order(claim):
                        yield claim


def _quoted(passage: Passage, subject: str, predicate: str, object_: str) -> Iterator[PassageClaim]:
    """Yield the claim with the first sentence that spells its object and is about its subject."""
    for place, quote in enumerate(sentences_of(passage.text)):
        is_topic = telling_words(subject) <= telling_words(passage.title)
        speaks_of_topic = place == 0 or _PRONOUN.match(quote) or hints_at(quote, subject)
        names_subject = spells(quote, subject) or (is_topic and bool(speaks_of_topic))
        if names_subject and spells(quote, object_) and not hints_at(subject, object_):
            id_ = claim_id(passage.id, quote, f"{subject}\n{predicate}", object_)
            yield PassageClaim(
                id_, passage.id, passage.title, passage.text, quote, subject, predicate, object_
            )
            return


def _is_in_order(claim: PassageClaim) -> bool:
    """Return whether the quote has all words of the predicate, one of them between the ends.

    An extracted triple without may join what its sentence does not. Also in order is a passive:
    "the seats were retained by the Democrats".
    """
    wanted = telling_words(claim.predicate)
    if not wanted or not all(hints_at(claim.quote, word) for word in wanted):
        return False
    said, object_, subject = (
        " ".join(plain_words(text)) for text in (claim.quote, claim.object, claim.subject)
    )
    before = said.partition(object_)[0]
    if subject in said and subject not in before:
        passive = re.search(rf"(\w+) by (?:the )?{re.escape(subject)}\b", said)
        return passive is not None and hints_at(passive[1], claim.predicate)
    between = before.rpartition(subject)[2] if subject in before else before
    return any(hints_at(between, word) for word in wanted)


FORMS: dict[str, Callable[[Path], Iterable[PassageClaim]]] = {
    "claims": read_claims,
    "questions": _question_set,
    "triples": _openie,
    "documents": _documents,
}
"""How claims are read: a file of claims, of questions with paragraphs, of triples, or a folder."""
