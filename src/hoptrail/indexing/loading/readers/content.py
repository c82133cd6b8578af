"""The content of a file: a title, which may be guessed, and blocks of text with their places."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hoptrail.core.types import Places, TablePart, TableRow, Tables
from hoptrail.core.types.document import Quad, RowKind, ScannedPage, ScannedWord

TICKED, NOT_TICKED = "☒", "☐"
_BREAK = "\n\n"
_DEEPEST_HEADING = 6
_LONGEST_QUESTION = 200  # characters


@dataclass(frozen=True, slots=True, eq=False)
class TableHead:
    """The head of one table: its name, such as the sheet's, and those of its columns.

    Rows belong together that have the very same head.
    """

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowCells:
    """The cells of a row as a table has them; see `TableRow`."""

    head: TableHead
    cells: tuple[str, ...]
    kind: RowKind = "row"
    section: str = ""


@dataclass(frozen=True, slots=True)
class BlockWord:
    """The characters `start` to `end` of a block as its page picture shows them."""

    start: int
    end: int
    box: Quad
    confidence: float


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list or table row; `place` is such as "page 3", empty without one.

    `continues` is whether its first sentence began in the block before. `row` are the cells that
    the text tells. `words` are those that were recognised in a picture, `scan` is that picture by
    its place in `Content.scans`.
    """

    text: str
    place: str = ""
    continues: bool = False
    row: RowCells | None = None
    words: tuple[BlockWord, ...] = ()
    scan: int | None = None


class JoinedText(NamedTuple):
    """The text of several blocks, where each place in it begins, and its tables."""

    text: str
    places: Places
    tables: Tables


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture whose text was not read yet: a file, a page of a PDF file, or a part of a file.

    Attributes:
        name: Its place in the document, such as "page 3"; empty for a file that is a picture.
        at: Number of the blocks of the content that stand before it.
        reason: Why it has to be recognised, as it is told where that cannot be done.
        path: The file.
        page: Number of the page of a PDF file, from 0; None for a picture.
        data: The picture itself, where it is a part of a file.
    """

    name: str
    at: int = 0
    reason: str = ""
    path: Path | None = None
    page: int | None = None
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """A picture that was recognised: its place, hash, and size in pixels."""

    place: str
    picture: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Content:
    """A document as a reader found it.

    `left_out` names parts that could not be read, such as a page, each with the reason. `metadata`
    are fields beside the text, such as those of a front matter. `pictures` are still to be
    recognised, in their order; `scans` are those that were.
    """

    title: str
    blocks: tuple[Block, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    pictures: tuple[Picture, ...] = ()
    scans: tuple[Scan, ...] = ()

    def joined(self) -> JoinedText:
        """Return the text of all blocks, with the places and tables in it."""
        parts: list[str] = []
        places: list[tuple[int, str]] = []
        tables: dict[TableHead, list[TableRow]] = {}
        for start, block in self._placed():
            if parts:
                parts.append("\n" if block.continues else _BREAK)
            if block.place != (places[-1][1] if places else ""):
                places.append((start, block.place))
            if (row := block.row) is not None:
                told = TableRow(start, start + len(block.text), row.cells, row.kind, row.section)
                tables.setdefault(row.head, []).append(told)
            parts.append(block.text)
        numbered = enumerate(tables.items(), start=1)
        found = (
            TablePart(at, head.name, head.columns, tuple(rows)) for at, (head, rows) in numbered
        )
        return JoinedText("".join(parts), tuple(places), tuple(found))

    def scanned_pages(self) -> tuple[ScannedPage, ...]:
        """Return the recognised pictures with their words by characters of the joined text."""
        words: dict[int, list[ScannedWord]] = {at: [] for at in range(len(self.scans))}
        for start, block in self._placed():
            if block.scan is not None:
                words[block.scan] += (
                    ScannedWord(start + word.start, start + word.end, word.box, word.confidence)
                    for word in block.words
                )
        return tuple(
            ScannedPage(at, one.place, one.picture, one.width, one.height, tuple(words[at]))
            for at, one in enumerate(self.scans)
        )

    def _placed(self) -> Iterator[tuple[int, Block]]:
        """Yield the blocks that hold text, each with where it begins in the joined text."""
        at = 0
        for block in self.blocks:
            if block.text.strip():
                at += len("\n" if block.continues else _BREAK) if at else 0
                yield at, block
                at += len(block.text)


def heading(text: str, level: int = 1) -> str:
    """Return a heading as Markdown marks it: it states nothing and is never quoted."""
    return f"{'#' * min(max(level, 1), _DEEPEST_HEADING)} {' '.join(text.split())}"


def is_asked_alone(text: str) -> bool:
    """Return whether a line that stands alone, in bold type, is a question: no warning, no name."""
    return text.endswith("?") and len(text) <= _LONGEST_QUESTION and "\n" not in text


def asked_heading(text: str) -> str:
    """Return a question that heads its answer, such as one in bold type, as the lowest heading."""
    return heading(text, _DEEPEST_HEADING)


def row_text(header: Iterable[str], cells: Iterable[str]) -> str:
    """Return a table's row as "Name: cell; Name: cell", without its empty cells."""
    told = []
    for name, cell in zip(header, cells, strict=False):
        if value := " ".join(cell.split()):
            told.append(f"{name}: {value}" if name and name != value else value)
    return "; ".join(told)


_MARKDOWN_HEADING = re.compile(r"^#{1,2}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_SHORT_HEADING = re.compile(r"(?!#{6} .*\?$)#{1,6} (.{1,200})")  # a bold question is no title
_LONGEST_TITLE = 80
_LONGEST_GIVEN = 200
_LONGEST_SEARCHED = 20_000  # characters in which a file's name is looked for
_MEANINGLESS = re.compile(
    r"\W*(?:anonymous|untitled(?: document)?|unbenannt|title|document ?\d{0,3}|new document"
    r"|powerpoint[ -]pr[eä]sentation|presentation ?\d{0,3}|slide ?\d{0,3}|book ?\d{0,3}|none"
    r"|null)\W*",
    re.IGNORECASE,
)
_MADE_BY = re.compile(r"\s{0,9}(?:microsoft (?:word|powerpoint|excel)|writer|untitled) ?-", re.I)
_SLACK_LISTS = frozenset(
    f"{name}.json" for name in ("users", "channels", "groups", "dms", "mpims", "integration_logs")
)
_NOTION_ID = re.compile(r"(?<=[^ ]) [0-9a-f]{32}(?:_all)?$")
_FILE_NAME = re.compile(
    r".{1,150}\.(?:docx?|dotx?|odt|rtf|tex|dvi|ps|pdf|indd|qxp|qxd|pptx?|xlsx?|html?|txt|md|fm|p65)",
    re.IGNORECASE,
)


def guess_title(text: str, fallback: str) -> str:
    """Return a heading of the text, else its short first line, else the fallback as words.

    A file's name without capitals is spelled as the text spells it: "uppsala" as "Uppsala".
    """
    heading = _MARKDOWN_HEADING.search(text, 0, 2000)
    if heading:
        return heading.group(1).strip()
    first, _, rest = text.lstrip().partition("\n")
    first = " ".join(first.strip().removeprefix("**").removesuffix("**").split())
    stands_alone = rest.startswith("\n") or rest[:1].isspace()
    is_told = any(map(str.isalpha, first)) and first[-1:] not in ".!?:;,"
    if is_told and stands_alone and len(first) <= _LONGEST_TITLE:
        return first
    name = name_as_words(fallback)
    return _spelled_in(text[:_LONGEST_SEARCHED], name) if name == name.lower() else name


def _spelled_in(text: str, name: str) -> str:
    """Return a name as a text first writes it with a capital, else as it is given."""
    if not name or len(name) > _LONGEST_TITLE:
        return name
    words = r"[ _-]".join(map(re.escape, name.split()))
    found = re.finditer(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)
    return next((one.group() for one in found if one.group() != one.group().lower()), name)


def name_as_words(name: str) -> str:
    """Return a file's name as words, without the id that Notion puts at its end."""
    return " ".join(re.split(r"[_\-\s]+", _NOTION_ID.sub("", name))).strip()


def is_notion_view(name: str, beside: Collection[str]) -> bool:
    """Return whether a file is one view of a database of Notion that stands whole beside it."""
    stem = name.removesuffix(".csv")
    return stem != name and f"{stem}_all.csv" in beside and bool(_NOTION_ID.search(stem))


def is_slack_list(name: str, beside: Collection[str]) -> bool:
    """Return whether a file lists ids of an export of Slack, whose channels are folders beside."""
    return name in _SLACK_LISTS and {"users.json", "channels.json"} <= set(beside)


def first_heading(blocks: Iterable[str], *, is_main: bool = False) -> str:
    """Return the first heading among the first blocks, empty where there is none.

    Args:
        blocks: The blocks of a text.
        is_main: Whether it must be one of the first level.
    """
    for _, block in zip(range(20), blocks, strict=False):
        match = _SHORT_HEADING.fullmatch(block)
        if match and (block.startswith("# ") or not is_main):
            return match.group(1).strip()
    return ""


def meant_title(given: str | None) -> str:
    """Return a title of a file's properties, empty where a program put it there."""
    title = " ".join((given or "")[:_LONGEST_GIVEN].split())
    is_none = _MEANINGLESS.fullmatch(title) or _MADE_BY.match(title) or _FILE_NAME.fullmatch(title)
    return "" if is_none else title
