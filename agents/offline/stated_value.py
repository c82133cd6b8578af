"""Read what a text states a named property to be: "Insurer: Northgate", "The password is X"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.line_layout import labelled_parts
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.agents.offline.told_label import GENERIC, groups_above, may_answer
from hoptrail.agents.reading.query import Query, name_words, read_query
from hoptrail.core.text import flat, name_key
from hoptrail.core.types.draft import Draft, HopClaim

_ASKS = re.compile(
    r"\W{0,3}(?:(?:what|who|which|when|where)(?:\s(?:is|are|was|were)|['’]s)|how\smuch\s(?:is|are|was|were))"
    r"\s(?:the|our|my|your|their|his|her|its|[A-Z])",
    re.IGNORECASE,
)
_IS = re.compile(
    r"\W{0,6}(?P<label>(?:The|Our|My|Your|Their|His|Her|Its)\s[^,;:.!?()\n]{2,60}?)\s"
    r"(?P<verb>is|are|was|were)\s(?P<value>(?:[^,;:()\n]|(?<=\d)[,:](?=\d)){1,80}?)"
    r"(?:[.!]?\s{0,3}$|[,:](?!\d)|[;()\n])"
)
_PARTICIPLE = re.compile(
    r"(?:not|never|now|still|also|being)\b|[a-z]{2,20}(?:ed|ing)\b|(?:done|made|kept|held|given|sold)\b"
)
_SEGMENT = re.compile(r"(?:[^,;()\n]|(?<=\d),(?=\d)){3,80}")
_PLACE = re.compile(
    r"(?:[A-Z\d]|(?:in|on|at|under|behind|beside|by|near|next|outside|inside|above|below|opposite|with|"
    r"between|over|upstairs|downstairs)\b)"
)
_LABEL_WORDS = 3
# A number, a code, a name, or one word such as a colour.
_VALUE = re.compile(
    r"(?![^,;()\n]{0,80}\b(?:is|are|was|were|has|had|by)\b)"  # a clause is no value
    r"\s?(?:[A-Z\d£$€][^\s]{0,30}(?:\s[^\s]{1,30}){0,3}|[a-z]{3,20})\W{0,3}"
)


@dataclass(frozen=True, slots=True)
class _Stated:
    """A label with what it is a label of, and where its value stands in a sentence.

    `verb` joins label and value in a whole sentence, and is empty for a line or an apposition.
    """

    sentence: Sentence
    subject: str
    label: str
    verb: str
    span: tuple[int, int]

    @property
    def is_apposition(self) -> bool:
        """Whether it is a part of a sentence, which may say what the label belongs to."""
        return not self.verb and not labelled_parts(self.sentence.text)

    @property
    def sentence_groups(self) -> frozenset[str]:
        """The word groups of the sentence."""
        return everyday_groups(self.sentence.text)

    @property
    def value(self) -> str:
        """The text that is labelled, in one line without the signs around it."""
        return flat(self.sentence.text[slice(*self.span)]).strip(' .;,*_"“”')

    @property
    def claim(self) -> HopClaim:
        """The claim of the sentence, in its own words."""
        chunk_id = self.sentence.chunk.id
        if self.verb:
            return HopClaim(self.label, self.verb, self.value, chunk_id)
        return HopClaim(self.subject, self.label, self.value, chunk_id)


def find_stated_value(question: str, index: EvidenceIndex) -> Draft | None:
    """Return what a text states the asked property to be, where all that state it agree.

    Every word of the question must be told by the label, or by what stands above the line: title,
    heading and file name. None for questions that ask for more than a property.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    query = read_query(question)
    if query.is_doubtful or _ASKS.match(question) is None:
        return None
    found = [
        one
        for sentences in index.sentences.values()
        for sentence in sentences
        for one in _stated(sentence)
        if _is_asked(query, one)
    ]
    spelled = [one for one in found if name_words(one.label) <= query.words]
    found = spelled or found  # "Insured" is of the group of "insurer".
    if len({name_key(one.value) for one in found}) != 1:
        return None
    return Draft("graph_search", (found[0].value,), hops=(found[0].claim,), reserve="")


def _stated(sentence: Sentence) -> Iterator[_Stated]:
    """Yield the labels of a sentence or line with what each labels; rows are looked up apart."""
    text, parts = sentence.text, labelled_parts(sentence.text)
    if len(parts) > 1:
        return
    if parts:
        span = parts[0].start, parts[0].end
        yield _Stated(sentence, sentence.topic_title, parts[0].label, "", span)
        return
    said = _IS.match(text)
    if said and is_asserted(text, *said.span("value")):
        yield _Stated(sentence, "", flat(said["label"]), said["verb"], said.span("value"))
    yield from _appositions(sentence, flat(said["label"]) if said else sentence.topic_title)


def _appositions(sentence: Sentence, subject: str) -> Iterator[_Stated]:
    """Yield the labels that open a part between commas: "Ford Transit, registration YD19 KPF"."""
    text = sentence.text
    for segment in _SEGMENT.finditer(text):
        words = list(re.finditer(r"\S+", segment.group()))
        for count in range(1, min(_LABEL_WORDS, len(words) - 1) + 1):
            start = segment.start() + words[count].start()
            label = text[segment.start() : segment.start() + words[count - 1].end()]
            if _VALUE.fullmatch(text, start, segment.end()):
                yield _Stated(sentence, subject, flat(label), "", (start, segment.end()))
        if segment.start() == 0 and text[:1].isupper() and not _IS.match(text):
            subject = flat(segment.group())


def _is_asked(query: Query, one: _Stated) -> bool:
    label = everyday_groups(one.label)
    above = groups_above(one.sentence)
    asked = (label & query.wanted) - GENERIC
    around = above | (one.sentence_groups if one.is_apposition else frozenset())
    if not asked or query.wanted - label - around - GENERIC:
        return False
    # "Sabine Ferraro" does not state of Sabine that she is Ferraro: the label is a part of a name.
    spelled = name_words(one.label)
    if one.is_apposition and any(name & spelled for name in query.names):
        return False
    if not one.verb and label - query.wanted - GENERIC:
        return False
    if one.verb and _PARTICIPLE.match(one.value):  # What was done to it is not what it is.
        return False
    if query.asked.answer_type == "place" and not _PLACE.match(one.value):  # "is bent"
        return False
    return may_answer(query, one.sentence.text, one.span, one.label)
