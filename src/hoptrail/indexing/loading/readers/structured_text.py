"""reStructuredText: headings, paragraphs, lists and tables, without directives and roles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hoptrail.indexing.loading.readers.content import Block, Content, heading
from hoptrail.indexing.loading.readers.encodings import decoded
from hoptrail.indexing.loading.readers.tables import table_blocks
from hoptrail.indexing.loading.readers.titles import first_heading, guess_title

_ADORNMENTS = frozenset("=-~^\"'`#*+.:_<>")
_DIRECTIVE = re.compile(r"\.\. ([\w:-]{1,60})::[ \t]*(.*)")
_ITEM = re.compile(r"[-*+•] +|(?:\d{1,3}|#)[.)] +")
_OPTION = re.compile(r":[\w -]{1,60}:")
_ROLE_TARGET = re.compile(r":[\w:+.-]{1,60}:`([^`<]{1,300}?)[ \t\n]{0,9}<[^`>]{1,300}>`")
_ROLE = re.compile(r":[\w:+.-]{1,60}:`([^`]{1,300})`")
_LINK = re.compile(r"`([^`<]{1,300}?)[ \t\n]{0,9}<[^`>]{1,300}>`_{1,2}")
_MARKED = re.compile(r"(\*\*|\*|``|`)(?=\S)([^*`]{1,300}?)(?<=\S)\1_{0,2}")
_GRID_RULE = re.compile(r"\+[-=+]{2,}\+")
_SIMPLE_RULE = re.compile(r"={2,}(?: +={2,})+ *")
_KEPT = frozenset(
    """note warning tip hint important caution danger attention error admonition seealso epigraph
    topic sidebar rubric deprecated versionadded versionchanged figure table""".split()
)


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
        return _plain(text)


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
