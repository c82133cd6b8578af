"""Rows of tables as facts: each cell is told of the thing that its row is about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.language.line_layout import LabelledPart, labelled_parts
from hoptrail.agents.language.table_rows import key_part, row_name
from hoptrail.core.conversation import Message, is_conversation, messages
from hoptrail.core.text import clipped, name_key
from hoptrail.indexing.extraction.mentions import Mention
from hoptrail.indexing.loading.readers.tables import MAX_COLUMNS

_AMOUNT = re.compile(r"[-+]?(?:[€$£]\s?)?\d[\d.,: ]{0,18}(?:\s?(?:%|€|[^\W\d_]{1,4}[²³]?))?")
_GOES_ON = re.compile(r"(?: [a-z][\w'’-]{0,30}){1,3}")
_LONGEST_NAME = 8  # words of a cell that names a thing: "Wood screws, steel, 4 x 40 mm"

Span = tuple[int, int]

WROTE = "wrote on"
_LONGEST_MESSAGE = 300

Fact = tuple[Mention, str, Mention]


@dataclass(frozen=True, slots=True)
class Row:
    """A row with the spans of its cells by their columns; `key` is the cell that it tells about."""

    cells: tuple[tuple[str, Span], ...]
    key: Span
    mentions: tuple[Mention, ...]

    def facts(self, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, str, Mention]]:
        """Yield what the cells say of the row's thing.

        Args:
            mentions: Those of the row, each under the name of its entity.
        """
        whole = {one.span: one for one in mentions}
        key = whole.get(self.key)
        if key is None or key.is_value:
            return
        for label, span in self.cells:
            cell = whole.get(span)
            if cell is not None and cell.key != key.key:
                yield key, _predicate(label), cell


def read_row(
    passage: str, span: Span, mentions: Sequence[Mention], columns: Collection[str]
) -> Row | None:
    """Return a line of a passage as a row, None where it is none.

    The name of its thing is one mention, were it a number ("Flat 12"); so are amounts that stand
    alone in a cell, and names of several words ("Oslo group").

    Args:
        passage: The text.
        span: Where the line stands.
        mentions: Those of the line.
        columns: The names of the columns that the passage has.
    """
    start, end = span
    line = passage[start:end]
    parts = labelled_parts(line)
    is_row = 1 < len(parts) <= MAX_COLUMNS
    key = key_part(parts, line, passage) if is_row else None
    if key is None or not all(part.label in columns for part in parts):
        return None
    cells = tuple((part.label, _span(part, line, start)) for part in parts)
    found: list[Mention] = []
    for part, (_, cell) in zip(parts, cells, strict=True):
        inside = [one for one in mentions if cell[0] <= one.start and one.end <= cell[1]]
        name = row_name(part, line) if part == key else ""
        found += _mentions_of_cell(passage, cell, name, inside)
    return Row(cells, cells[parts.index(key)][1], tuple(found))


def _predicate(label: str) -> str:
    """Return the name of a column as a predicate: "Rent GBP" as "rent GBP"."""
    return " ".join(word if word.isupper() else word.lower() for word in label.split())


def _span(part: LabelledPart, line: str, start: int) -> Span:
    cell = line[part.start : part.end].rstrip(" ;.*_\n")
    return start + part.start, start + part.start + len(cell)


def _mentions_of_cell(
    passage: str, span: Span, name: str, inside: Sequence[Mention]
) -> Sequence[Mention]:
    """Return the mentions of a cell; `name` is what its row is called, empty for other cells."""
    cell = passage[slice(*span)]
    if any(one.span == span for one in inside) and name in {"", cell}:
        return inside
    if name and len(name.split()) <= _LONGEST_NAME:
        return [Mention(*span, name_key(name), name, "name")]
    if _AMOUNT.fullmatch(cell):
        return [Mention(*span, name_key(cell), cell, "number")]
    first = inside[0] if inside else None
    if first and first.start == span[0] and not first.is_value:
        if _GOES_ON.fullmatch(passage[first.end : span[1]]):
            return [Mention(*span, name_key(cell), cell, "name")]
    return inside


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of a passage that somebody speaks in."""

    text: str
    messages: tuple[Message, ...]

    @classmethod
    def of(cls, text: str) -> Conversation | None:
        """Return the conversation that a passage is, None for any other passage."""
        if not is_conversation(text):
            return None
        return cls(text, tuple(one for one in messages(text) if one.speaker))

    def with_speakers(
        self, spans: Sequence[tuple[int, int]], sentences: Sequence[Sequence[Mention]]
    ) -> list[list[Mention]]:
        """Return the mentions of the sentences with who speaks among them.

        A first name, or a name run together ("AnnThale"), means the one speaker who has it.
        """
        forms: dict[str, set[str]] = {}
        for speaker in {message.speaker for message in self.messages}:
            key = name_key(speaker)
            for form in (key.split(" ")[0], key.replace(" ", "")):
                forms.setdefault(form, set()).add(speaker)
        known = {form: next(iter(names)) for form, names in forms.items() if len(names) == 1}

        def resolved(mention: Mention) -> Mention:
            name = None if mention.is_value else known.get(mention.key)
            return replace(mention, key=name_key(name), name=name) if name else mention

        return [
            [*self._speakers(start, end), *map(resolved, self._others(mentions))]
            for (start, end), mentions in zip(spans, sentences, strict=True)
        ]

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Yield who wrote on which day, each with the moment and the message as its sentence."""
        for one in self.messages:
            moment = f"{one.at:%Y-%m-%d}"
            day = Mention(one.start, one.start, name_key(moment), moment, "date")
            line = f"{one.speaker}: {self.text[one.said : one.end]}"
            said = f"{one.moment} {clipped(line, _LONGEST_MESSAGE)}"
            yield said, (_speaker(one), WROTE, day)

    def _speakers(self, start: int, end: int) -> list[Mention]:
        return [_speaker(one) for one in self.messages if start <= one.start < end]

    def _others(self, mentions: Sequence[Mention]) -> list[Mention]:
        """Return the mentions that are no part of a label in front of a message.

        "Stretching helps" is how people write in chats, and names nothing.
        """
        labels = [(one.start, one.said) for one in self.messages]
        return [
            one
            for one in mentions
            if not any(start <= one.start < said for start, said in labels)
            and not (one.opens and " " not in one.name and one.name.endswith("ing"))
        ]


def _speaker(message: Message) -> Mention:
    start = message.said - len(message.speaker) - len(": ")
    end = start + len(message.speaker)
    return Mention(start, end, name_key(message.speaker), message.speaker, "name")
