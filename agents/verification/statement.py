"""Whether a sentence states a claim: subject, predicate and object in one statement."""

from __future__ import annotations

import re
from dataclasses import replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.assertion import has_doubt, is_asserted
from hoptrail.agents.language.clauses import opening_clause_end, without_asides
from hoptrail.agents.language.line_layout import (
    LabelledPart,
    column_line,
    labelled_parts,
    lists_in,
    part_at,
)
from hoptrail.agents.language.mail_text import SAYING, is_writer, without_moment
from hoptrail.agents.language.roles_beside import roles_beside
from hoptrail.agents.language.sentence_grammar import SentenceGrammar
from hoptrail.agents.language.table_rows import identifying_parts
from hoptrail.agents.language.value_patterns import CURRENCY_SIGNS
from hoptrail.agents.language.word_groups import word_group, word_groups
from hoptrail.agents.verification.claim_ends import (
    ClaimEnd,
    EndInSentence,
    holds_several_values,
    splits_name,
    tells_of_name_between,
)
from hoptrail.agents.verification.predicate_sense import read_predicate
from hoptrail.agents.verification.role_reader import RoleReader
from hoptrail.agents.verification.worded_claim import WordedClaim, wording_of
from hoptrail.core.text import name_key
from hoptrail.core.types import SupportState
from hoptrail.core.types.draft import BESIDE, LISTS, HopClaim

_QUOTED_MAIL = re.compile(r"(?:^|\n)[ \t]*(?:>[ \t]*)+")
_SEPARATED = re.compile(r"\s[|•·»>]\s|\t|\s{5,}|\n\s*(?:={3,}|-{3,})\s*$|^\s*\|")


# Where a clause begins: with the sentence or its number, behind a colon, a dash, "and".
_BEGINS = re.compile(
    r"(?:^\W*(?:\d{1,2}(?:\.\d{1,2})*[.)]?\s+)?|[;:(]\s*|,\s(?:and|but|while|whereas)\s|\s[-–—]\s)"
    r"(?:the\s|an?\s)?$",
    re.IGNORECASE,
)

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_OPENING_WORDS = 2
_FIRST_PERSON = {"is": "am", "has": "have", "does": "do", "was": "was", "m": "am", "ve": "have"}


def is_statement(text: str) -> bool:
    """Return whether a text can state anything: no question, heading, menu or table line."""
    told = _QUOTED_MAIL.sub(" ", text).lstrip()
    return not (
        told.rstrip("\"'”’) ").endswith("?") or told.startswith("#") or _SEPARATED.search(told)
    )


def support_in(claim: HopClaim, sentence: Sentence, index: EvidenceIndex) -> SupportState:
    """Return what of a claim a sentence states; `ClaimReader` does it for many sentences."""
    return ClaimReader(claim, index).support(sentence)


class ClaimReader:
    """Reads sentences for one claim."""

    def __init__(self, claim: HopClaim, index: EvidenceIndex) -> None:
        self._subject = ClaimEnd(claim.subject, claim.object, index)
        self._object = ClaimEnd(claim.object, claim.subject, index)
        self._predicate = claim.predicate
        self._wording = wording_of(claim.predicate)
        self._claim = claim
        self._senses = read_predicate(claim.predicate)
        values = [value for value in claim.object.split(";") if value.strip()]
        self._of_values = (
            [ClaimReader(replace(claim, object=value.strip()), index) for value in values]
            if len(values) > 1
            else []
        )

    def support(self, sentence: Sentence) -> SupportState:
        """Return what of the claim a sentence states.

        An object of several values, divided by ";", is stated where each of them is.

        "stated": it has both ends, in the roles that the claim gives them, and says the predicate
        of them without denying it. "partly": it has both ends. "none": it lacks one.
        """
        if self._of_values:
            states: list[SupportState] = [one.support(sentence) for one in self._of_values]
            return states[0] if len(set(states)) == 1 else "partly"
        if is_told_by_writer(self._claim, sentence):
            return "stated"
        if is_listed(self._claim, sentence) or is_beside(self._claim, sentence):
            return "stated"
        subject, object_ = self._subject.find(sentence), self._object.find(sentence)
        is_spelled = bool(subject.spans or object_.spans) or subject.is_speaker
        if not (subject.is_present and object_.is_present and is_spelled):
            return "none"
        if not is_statement(_without_name(sentence.text, object_)):
            return "partly"
        if holds_several_values(self._claim.object) or splits_name(self._claim, sentence.text):
            return "partly"
        if tells_of_name_between(self._predicate):
            return "partly"
        parts = labelled_parts(sentence.text)
        if _is_labelled(self._predicate, sentence, parts, subject, object_):
            return "stated"
        if subject.is_value and not object_.is_value:
            return "partly"
        if len(parts) > 1:  # A row is no sentence: its cells say nothing but by their labels.
            return "partly"
        if is_verbatim(self._claim, sentence) or _sets_beside(self._claim, sentence):
            return "stated"
        return "stated" if self._is_stated(sentence, subject, object_) else "partly"

    def _is_stated(
        self, sentence: Sentence, subject: EndInSentence, object_: EndInSentence
    ) -> bool:
        spans = (*subject.spans, *object_.spans)
        grammar = SentenceGrammar(without_asides(sentence.text, spans), spans)
        worded = WordedClaim(
            sentence.text, grammar, subject, object_, self._wording, is_lead=sentence.is_lead
        )
        if worded.is_stated():
            return True
        topic = word_groups(sentence.topic_title)
        readers = (
            RoleReader(sentence.text, grammar, subject, object_, sense, topic)
            for sense in self._senses
        )
        return any(reader.is_stated() for reader in readers)


def _without_name(text: str, end: EndInSentence) -> str:
    """Return a text without a name that ends it: that may end with a question mark itself."""
    closes = end.name.rstrip().endswith("?") and text.rstrip().endswith("?")
    last = max((span[0] for span in end.spans), default=0)
    return text[:last] if closes and last else text


def is_verbatim(claim: HopClaim, sentence: Sentence) -> bool:
    """Return whether a claim is what a clause of a sentence says, word by word, as a fact.

    The claim begins where the clause begins, after a pronoun where the sentence before or the
    heading names its subject; so "the son of Ann Holt built it" does not state that she did.
    """
    told = f"{claim.predicate} {claim.object}"
    spelled = _spans_of(f"{claim.subject} {told}", sentence.text)
    if not spelled and sentence.leads_with_pronoun and _is_taken_up(claim.subject, sentence):
        pronoun = sentence.text.split(maxsplit=1)[0]
        spelled = _spans_of(f"{pronoun} {told}", sentence.text)
    opens = opening_clause_end(sentence.text)
    return any(
        (_BEGINS.search(sentence.text[:start]) or opens == start)
        and is_asserted(sentence.text, start, end)
        for start, end in spelled
    )


def _sets_beside(claim: HopClaim, sentence: Sentence) -> bool:
    """Return whether a sentence sets the role that a claim is about beside the name.

    "Ruth Feldman (treasurer) keeps the accounts" states that she is the treasurer.
    """
    if claim.predicate not in {"is", "is the", "is our"}:
        return False
    role = word_groups(claim.object)
    return any(
        name_key(one.name) == name_key(claim.subject)
        and word_groups(one.role) == role
        and is_asserted(sentence.text, one.start, one.end)
        for one in roles_beside(sentence.text)
    )


def is_beside(claim: HopClaim, sentence: Sentence) -> bool:
    """Return whether a line in columns has the claim's object beside its subject."""
    columns = column_line(sentence.text) if claim.predicate == BESIDE else None
    cells = [name_key(sentence.text[start:end]) for start, end in columns.cells] if columns else []
    is_head = columns is not None and name_key(columns.head) == name_key(claim.subject)
    return is_head and name_key(claim.object) in cells


def is_listed(claim: HopClaim, sentence: Sentence) -> bool:
    """Return whether a sentence is an item of a list below a line that is the claim's subject.

    "Committee lists Ann Holt" is stated by "- Ann Holt (chair)" below "## Committee".
    """
    if claim.predicate != LISTS:
        return False
    item = name_key(claim.object)
    return any(
        name_key(listed.lead) == name_key(claim.subject)
        and any(sentence.start <= start < sentence.end for start, _ in listed.items)
        and f"{name_key(sentence.text)} ".startswith(f"{item} ")
        for listed in lists_in(sentence.chunk.text)
    )


def _is_taken_up(name: str, sentence: Sentence) -> bool:
    key = name_key(name)
    if sentence.heading:
        return name_key(sentence.heading) == key
    return sentence.before.startswith(f" {key} ")


def _spans_of(claim: str, text: str) -> list[tuple[int, int]]:
    """Return where a text has the words of a claim one after the other."""
    wanted = re.findall(r"\w+", claim)
    if not wanted:
        return []
    pattern = r"[^\w;:()?!]{1,6}".join(map(re.escape, wanted))
    return [
        one.span() for one in re.finditer(rf"(?<!\w){pattern}(?!\w|['’]s\b)", text, re.IGNORECASE)
    ]


def _is_labelled(
    predicate: str,
    sentence: Sentence,
    parts: tuple[LabelledPart, ...],
    subject: EndInSentence,
    object_: EndInSentence,
) -> bool:
    """Return whether a row or line labels the object by the predicate, and tells of the subject.

    "berth: Hall A; price: 18400" states Hall A | price | 18400: a cell that stands for the row has
    the subject, or the passage's title where no cell does, and the object opens its own.
    """
    text = sentence.text
    labelled = [
        part
        for part in parts
        if name_key(part.label) == name_key(predicate)
        and any(_opens(part, start, text) for start, _ in object_.spans)
    ]
    # "year 2022" begins with the label of its cell.
    cells = {part_at(parts, end - 1) for _, end in subject.spans}
    keys = set(identifying_parts(parts, text, sentence.chunk.text)) if len(parts) > 1 else set()
    is_key = len(parts) < 3 or bool(cells & keys)
    in_row = bool(cells - {None, *labelled}) and is_key
    return bool(labelled) and (in_row or subject.is_topic and not keys)


def _opens(part: LabelledPart, start: int, text: str) -> bool:
    before = text[part.start : start].strip(" *_")
    return part.start <= start < part.end and (
        not before or re.fullmatch(CURRENCY_SIGNS, before) is not None
    )


def is_told_by_writer(claim: HopClaim, sentence: Sentence) -> bool:
    """Return whether a message's sentence states a claim whose subject wrote the message.

    "Ann Holt | asked on 2026-05-04 | whether the sail has come", of what she asked that day, and
    "Ann Holt | has moved to | Alding", of "I've moved to Alding".
    """
    message = sentence.message
    if message is None or not is_writer(claim.subject, message):
        return False
    return _is_said(claim, sentence) or _is_of_himself(claim, sentence)


def _is_said(claim: HopClaim, sentence: Sentence) -> bool:
    """Return whether a claim begins with a verb of saying, and its words are in the message."""
    message = sentence.message
    told = without_moment(f"{claim.predicate} {claim.object}", message) if message else None
    saying = SAYING.search(told or "")
    if message is None or told is None or saying is None:
        return False
    if len(told[: saying.start()].split()) > _OPENING_WORDS:
        return False
    wanted = word_groups(told[saying.end() :])
    line = sentence.chunk.text[message.start : message.end]
    is_here = not wanted or bool(wanted & word_groups(sentence.text))
    is_denied = has_doubt(told) != has_doubt(sentence.text)
    return is_here and wanted <= word_groups(line) and not is_denied


def _is_of_himself(claim: HopClaim, sentence: Sentence) -> bool:
    """Return whether "I" with the words of the claim, one after the other, stands in a sentence."""
    wanted = [_group(one) for one in _WORD.findall(f"{claim.predicate} {claim.object}")]
    found = list(_WORD.finditer(sentence.text))
    groups = [_group(one.group()) for one in found]
    for place, one in enumerate(found):
        last = place + len(wanted)
        if one.group() == "I" and wanted and groups[place + 1 : last + 1] == wanted:
            return is_asserted(sentence.text, one.start(), found[last].end())
    return False


def _group(word: str) -> str:
    low = word.casefold()
    return _FIRST_PERSON.get(low) or word_group(low)
