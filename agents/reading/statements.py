"""Sentences, labelled lines and rows of the evidence, each with what its place in the text adds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.line_layout import LabelledPart, labelled_parts, part_at
from hoptrail.agents.language.value_patterns import CURRENCY_CODES, CURRENCY_SIGNS, CURRENCY_WORDS
from hoptrail.agents.language.word_groups import everyday_groups
from hoptrail.core.conversation import is_conversation, is_stamp, messages
from hoptrail.core.text import sentence_spans
from hoptrail.core.types import Chunk

_HEADING = re.compile(
    r"#{1,6}[ \t]{1,9}(?P<hash>[^\n]{1,200})|(?P<under>[^\n]{1,200}+)\n[ \t]{0,9}(?:={3,}|-{3,})"
)
_NUMBERED_TITLE = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,2}|[IVX]{1,5})[.)]?\s(?P<title>[A-Z][\w ,'’&-]{2,40})\.?"
)
_CAPTION = re.compile(r"[A-Z](?:(?!\s{2})[^.!;:|=<>@]){2,60}")
_SOLD_FOR = re.compile(
    r"\b(?:bought|purchased|acquired|ordered|sold|auctioned)\b[^.;]{0,80}\sfor\s"
    rf"(?:(?:{CURRENCY_SIGNS}|(?:{CURRENCY_CODES})\s)\d|\d[\d,.]{{0,12}}\s(?:{CURRENCY_WORDS}|"
    rf"{CURRENCY_CODES})\b)"
)
_PRICE = everyday_groups("price")
_LONGEST_CAPTION = 8
_LONGEST_QUESTION = 14
_IDENTIFIER_PARTS = re.compile(r"[/_.\s-]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with its labelled parts and the words that its place adds.

    `heading` is the Markdown or underlined one above it, `caption` the short line or question that
    it stands below. `own` are the word groups of its text, `place` those of its title, heading,
    caption, record and document's name, `before` those of the sentence before it, `rank` its
    passage's, best 0. `speaker` is who says it in a conversation, whose name opens the text, and
    `said` where the words themselves begin.
    """

    sentence: Sentence
    heading: str
    caption: str
    parts: tuple[LabelledPart, ...]
    own: frozenset[str]
    place: frozenset[str]
    before: frozenset[str]
    rank: int
    speaker: str = ""
    said: int = 0

    @property
    def text(self) -> str:
        """The sentence itself."""
        return self.sentence.text

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table: two labelled parts or more."""
        return len(self.parts) > 1

    def part_at(self, offset: int) -> LabelledPart | None:
        """Return the labelled part that an offset of the text lies in."""
        return part_at(self.parts, offset)

    def told(self, part: LabelledPart | None, wanted: frozenset[str]) -> frozenset[str]:
        """Return the word groups that hold for a part: of a row, all but the other labels.

        The label of a cell that has a wanted word counts: "hire: 22" is the hire that costs 22.
        """
        if not self.is_row or part is None:
            return self.own
        told = everyday_groups(part.label)
        for one in self.parts:
            cell = everyday_groups(self.text[one.start : one.end])
            told |= cell
            if one != part and cell & wanted:
                told |= everyday_groups(one.label)
        return told

    def worded(self) -> str:
        """Return the statement in words for an embedder: title, heading, sentence."""
        parts = (self.sentence.chunk.title, self.heading, self.caption, self.text)
        return ". ".join(part for part in parts if part)[:400]


def statements_of(index: EvidenceIndex) -> list[Statement]:
    """Return the statements of all passages, in the order of the evidence."""
    return [
        statement
        for rank, chunk in enumerate(index.chunks.values())
        for statement in _of_chunk(chunk, rank, index)
    ]


def _of_chunk(chunk: Chunk, rank: int, index: EvidenceIndex) -> Iterator[Statement]:
    headings = dict(_headings(chunk.text))
    document = everyday_groups(_IDENTIFIER_PARTS.sub(" ", chunk.doc_id.rpartition("/")[2]))
    title = everyday_groups(chunk.title) | document
    before: frozenset[str] = frozenset()
    records = _records(chunk.text, index.sentences[chunk.id])
    caption, captioned = "", ""
    is_chat, speakers = is_conversation(chunk.text), _speakers(chunk.text)
    for sentence in index.sentences[chunk.id]:
        if is_stamp(sentence.text):  # when the messages below were written, not what they say
            continue
        speaker = speakers.get(sentence.start, "")
        at = max((start for start in headings if start <= sentence.start), default=None)
        heading = "" if at is None else headings[at]
        if heading != captioned:
            caption, captioned = "", heading
        own = everyday_groups(sentence.text)
        if _SOLD_FOR.search(sentence.text):  # "Was bought for £6,450" tells what it cost.
            own |= _PRICE
        # "It" below a heading, or behind "The bridge was built", is not what the title names.
        near = sentence.near_topic
        above = everyday_groups(near) if near and sentence.leads_with_pronoun else title
        yield Statement(
            sentence,
            heading,
            caption,
            () if speaker else labelled_parts(sentence.text),
            own,
            above
            | everyday_groups(heading)
            | everyday_groups(caption)
            | records.get(sentence.start, frozenset()),
            before,
            rank,
            speaker,
            len(f"{speaker}: ") if speaker else 0,
        )
        before = own
        caption = caption if is_chat else _caption(sentence) or caption


def _speakers(text: str) -> dict[int, str]:
    """Return who speaks in each message of a conversation, by where the speaker's name stands."""
    return {one.opens: one.speaker for one in messages(text)} if is_conversation(text) else {}


def _caption(sentence: Sentence) -> str:
    """Return the line that a sentence is, where those below it may be about it, else nothing.

    That is a short line of its own without a full stop ("THE ROOF IS DONE", "2. Rent."), or a
    question of an interview.
    """
    text, chunk = sentence.text, sentence.chunk.text
    if text.endswith("?"):
        return text if len(text.split()) <= _LONGEST_QUESTION else ""
    opens_line = not chunk[: sentence.start].rpartition("\n")[2].strip()
    numbered = numbered_title(text)
    if opens_line and numbered:
        return numbered
    ends_line = not chunk[sentence.end :].partition("\n")[0].strip()
    is_short = len(text.split()) <= _LONGEST_CAPTION and not labelled_parts(text)
    is_plain = _CAPTION.fullmatch(text) is not None
    return text if opens_line and ends_line and is_short and is_plain else ""


def numbered_title(line: str) -> str:
    """Return the title of a line such as "3. Rent", empty for any other."""
    match = _NUMBERED_TITLE.fullmatch(line)
    return match["title"] if match else ""


def _records(text: str, sentences: Sequence[Sentence]) -> dict[int, frozenset[str]]:
    """Return the word groups of the record that each labelled line is part of, by its start.

    A record are labelled lines without an empty line between them: a ticket, a mail's head.
    """
    records: list[list[Sentence]] = []
    for sentence in sentences:
        if not labelled_parts(sentence.text):
            continue
        last = records[-1][-1] if records else None
        if last is None or text[last.end : sentence.start].strip(" \t\r*_") != "\n":
            records.append([])
        records[-1].append(sentence)
    told = [(record, everyday_groups(" ".join(one.text for one in record))) for record in records]
    return {one.start: groups for record, groups in told for one in record}


def _headings(text: str) -> Iterator[tuple[int, str]]:
    for start, end in sentence_spans(text):
        line = text[start:end]
        match = _HEADING.match(line) or _HEADING.match(text, start)
        if match and match.start() in {0, start}:
            yield start, (match["hash"] or match["under"]).strip(" #*")
