"""Text files: as they are, in Markdown, in reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hoptrail.indexing.loading.conversations import lay_out, read_chat, title_of
from hoptrail.indexing.loading.metadata import front_metadata
from hoptrail.indexing.loading.readers.aligned_text import aligned_blocks
from hoptrail.indexing.loading.readers.content import (
    Block,
    Content,
    asked_heading,
    first_heading,
    guess_title,
    heading,
    is_asked_alone,
    name_as_words,
)
from hoptrail.indexing.loading.readers.raw_bytes import decoded
from hoptrail.indexing.loading.readers.tables import table_blocks

if TYPE_CHECKING:
    from markdown_it.token import Token

_FENCE = "---"
_MARKS = re.compile(r"^(?:#{1,6}|[-*>]) |\*\*", re.MULTILINE)  # around who speaks in minutes
_MOST_FRONT_LINES = 200
_SHOWN = frozenset({"text", "code_inline", "text_special", "image"})
_ADORNMENTS = frozenset("=-~^\"'`#*+.:_<>")
_DIRECTIVE = re.compile(r"\.\. ([\w:-]{1,60})::[ \t]*(.*)")
_ITEM = re.compile(r"[-*+•] +|(?:\d{1,3}|#)[.)] +")
_OPTION = re.compile(r":[\w -]{1,60}:")
_ROLE_TARGET = re.compile(r":[\w:+.-]{1,60}:`([^`<]{1,300}?)[ \t\n]{0,9}<[^`>]{1,300}>`")
_ROLE = re.compile(r":[\w:+.-]{1,60}:`([^`]{1,300})`")
_LINK = re.compile(r"`([^`<]{1,300}?)[ \t\n]{0,9}<[^`>]{1,300}>`_{1,2}")
_MARKED = re.compile(r"(\*\*|\*|``|`)(?=\S)([^*`]{1,300}?)(?<=\S)\1_{0,2}")
_BOLD = re.compile(r"\*\*(?=\S)([^*]{1,300})(?<=\S)\*\*")
_GRID_RULE = re.compile(r"\+[-=+]{2,}\+")
_SIMPLE_RULE = re.compile(r"={2,}(?: +={2,})+ *")
_KEPT = frozenset(
    """note warning tip hint important caution danger attention error admonition seealso epigraph
    topic sidebar rubric deprecated versionadded versionchanged figure table""".split()
)


def read_text(path: Path) -> Content:
    """Return a text as it is, and messages in the form of conversations."""
    return text_content(decoded(path.read_bytes()), path.stem)


def text_content(text: str, name: str) -> Content:
    """Return a text of that name, such as a file's without its suffix."""
    if postings := read_chat(text, name):
        return Content(title_of(postings), (Block(lay_out(postings)),))
    return Content(guess_title(text, name), tuple(aligned_blocks(text)))


def read_markdown(path: Path) -> Content:
    """Return the text of a Markdown file, its title from the front matter or the first heading."""
    front, text = _front_matter(decoded(path.read_bytes()))
    fields = _fields(front)
    title = fields.pop("title", "")
    told = [f"{name}: {value}" for name, value in fields.items() if value]
    blocks = markdown_blocks(text)
    if not title:
        title = first_heading(block.text for block in blocks) or guess_title(text, path.stem)
    title = title or name_as_words(path.stem)
    if postings := read_chat("\n".join([*told, _MARKS.sub("", text)]), path.stem):
        return Content(title, (Block(lay_out(postings)),), metadata=front_metadata(front))
    return Content(title, (*map(Block, told), *blocks), metadata=front_metadata(front))


def markdown_blocks(text: str) -> list[Block]:
    """Return the headings, paragraphs, items and table rows of a Markdown text."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")
    return list(_blocks(parser.parse(text)))


def _front_matter(text: str) -> tuple[list[str], str]:
    """Return the lines between the first two lines of `---` and the text after them."""
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        return [], text
    for number, line in enumerate(lines[1:_MOST_FRONT_LINES], start=1):
        if line.rstrip() in {_FENCE, "..."}:
            return lines[1:number], "\n".join(lines[number + 1 :])
    return [], text


def _fields(lines: Sequence[str]) -> dict[str, str]:
    """Return simple fields of YAML; the items of a list are joined."""
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        key, colon, value = line.partition(":")
        if line.lstrip().startswith("- ") and name:
            fields[name] = ", ".join(filter(None, (fields[name], line.strip(" -\"'"))))
        elif colon and key.strip() and not key.startswith((" ", "#")):
            name = key.strip()
            fields[name] = value.strip().strip("[]\"'").strip()
    return fields


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    items = 0
    asked_in = 0  # the item whose bold question the paragraphs of the same item answer
    level: int | None = None
    rows: list[list[str]] | None = None
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "heading_close":
            level = None
        elif token.type == "list_item_open":
            items += 1
        elif token.type == "list_item_close":
            items -= 1
            asked_in = min(asked_in, items)
        elif token.type == "table_open":
            rows = []
        elif token.type == "table_close":
            yield from table_blocks(rows or [])
            rows = None
        elif token.type == "tr_open" and rows is not None:
            rows.append([])
        elif token.type == "inline":
            text = _shown(token)
            if rows is not None:
                rows[-1].append(text)
            elif text and not level and is_asked_alone(text) and _is_bold(token):
                asked_in = items
                yield Block(asked_heading(text))
            elif text:
                is_item = items > asked_in
                yield Block(heading(text, level) if level else f"- {text}" if is_item else text)
        elif token.type in {"fence", "code_block"} and token.content.strip():
            yield Block(token.content.rstrip())


def _shown(token: Token) -> str:
    """Return what a reader sees of a line: no marks, no addresses, no tags."""
    parts = []
    for child in token.children or ():
        if child.type in _SHOWN:
            parts.append(child.content)
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append("\n")
    return "".join(parts).strip()


def _is_bold(token: Token) -> bool:
    """Return whether all that a paragraph shows is in bold type."""
    depth = 0
    for child in token.children or ():
        depth += (child.type == "strong_open") - (child.type == "strong_close")
        if child.type in _SHOWN and child.content.strip() and not depth:
            return False
    return True


def read_rst(path: Path) -> Content:
    """Return the text of a reStructuredText file, without code, images and comments."""
    lines = [line.expandtabs(8).rstrip() for line in decoded(path.read_bytes()).split("\n")]
    blocks = list(_Reader(lines).blocks())
    texts = [block.text for block in blocks]
    title = first_heading(texts) or guess_title("\n\n".join(texts), path.stem)
    return Content(title, tuple(blocks))


class _Reader:
    """Reads lines once from top to bottom; adornments get their level in the order they come."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._styles: list[str] = []

    def blocks(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            line = self._lines[self._at].strip()
            if not line:
                self._at += 1
            elif (title := self._heading()) is not None:
                yield Block(title)
            elif line.startswith(".. ") or line == "..":
                yield from self._explicit(line)
            elif _GRID_RULE.fullmatch(line) or _SIMPLE_RULE.fullmatch(line):
                yield from self._ruled_table(line)
            elif text := self._paragraph():
                yield Block(text)

    def _heading(self) -> str | None:
        """Return the heading that begins here, with a line above it or not."""
        above, text, below = (*self._lines[self._at : self._at + 3], "", "", "")[:3]
        if _is_adornment(above) and text and above.strip() == below.strip():
            self._at += 3
            return heading(_plain(text), self._level(2 * above[0]))
        if _is_adornment(text) and above == above.lstrip() and not _is_adornment(above):
            self._at += 2
            return heading(_plain(above), self._level(text[0]))
        if _is_adornment(above) and not text:  # a line across the page
            self._at += 1
            return ""
        return None

    def _level(self, style: str) -> int:
        if style not in self._styles:
            self._styles.append(style)
        return self._styles.index(style) + 1

    def _explicit(self, line: str) -> Iterator[Block]:
        """Read a directive, comment, target or footnote."""
        directive = _DIRECTIVE.match(line)
        begun = self._at
        self._at += 1
        body = self._indented(len(self._lines[begun]) - len(self._lines[begun].lstrip()))
        if directive is None:
            return
        name, argument = directive.group(1), directive.group(2)
        while body and _OPTION.match(body[0].strip()):
            body.pop(0)
        if name == "list-table":
            yield from table_blocks(_list_rows(body))
        elif name == "csv-table":
            import csv

            yield from table_blocks(list(csv.reader(line.strip() for line in body if line.strip())))
        elif name in _KEPT:
            inner = _Reader([argument, "", *_dedented(body)])
            inner._styles = self._styles
            yield from inner.blocks()

    def _indented(self, indent: int) -> list[str]:
        """Return the lines here that are indented by more than that, with blank ones between."""
        body: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line and len(line) - len(line.lstrip()) <= indent:
                break
            body.append(line)
            self._at += 1
        return body

    def _ruled_table(self, rule: str) -> Iterator[Block]:
        rows = []
        bounds = [match.span() for match in re.finditer("=+", rule)]
        while self._at < len(self._lines) and (line := self._lines[self._at].strip()):
            self._at += 1
            if line.startswith("|"):
                rows.append([cell.strip() for cell in line.strip("|").split("|")])
            elif bounds and not _SIMPLE_RULE.fullmatch(line):
                ends = [*(start for start, _ in bounds[1:]), len(line)]
                cells = zip(bounds, ends, strict=True)
                rows.append([line[start:end].strip() for (start, _), end in cells])
        yield from table_blocks([[_plain(cell) for cell in row] for row in rows])

    def _paragraph(self) -> str:
        lines: list[str] = []
        while self._at < len(self._lines) and (line := self._lines[self._at].strip()):
            if lines and _ITEM.match(line):
                break
            lines.append(line)
            self._at += 1
        text = "\n".join(lines)
        is_code = text.endswith("::")
        if is_code:
            begun = self._lines[self._at - 1]
            self._indented(len(begun) - len(begun.lstrip()))
            text = text[:-1]
        if _OPTION.match(text) and ":`" not in text:  # a field such as ":Author: Ada"
            text = text[1:].replace(":", "", 1).replace(" ", ": ", 1)
        told = _plain(text)
        is_asked = _BOLD.fullmatch(text) is not None and is_asked_alone(told)
        return asked_heading(told) if is_asked else told


def _is_adornment(line: str) -> bool:
    text = line.strip()
    return len(text) >= 3 and text[0] in _ADORNMENTS and text == text[0] * len(text)


def _dedented(lines: list[str]) -> list[str]:
    indents = [len(line) - len(line.lstrip()) for line in lines if line]
    return [line[min(indents, default=0) :] for line in lines]


def _list_rows(lines: list[str]) -> list[list[str]]:
    """Return the rows of a table that is written as a list of lists."""
    rows: list[list[str]] = []
    for line in lines:
        text = line.strip()
        if text.startswith("* - "):
            rows.append([_plain(text[4:])])
        elif text.startswith("- ") and rows:
            rows[-1].append(_plain(text[2:]))
        elif text and rows:
            rows[-1][-1] += f" {_plain(text)}"
    return rows


def _plain(text: str) -> str:
    for pattern in (_ROLE_TARGET, _ROLE, _LINK):
        text = pattern.sub(r"\1", text)
    return _MARKED.sub(r"\2", text).strip()
