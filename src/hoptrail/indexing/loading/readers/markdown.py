"""Markdown: headings, paragraphs, lists and tables; front matter; no marks and no addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hoptrail.indexing.loading.conversations.chat_lines import read_chat
from hoptrail.indexing.loading.conversations.layout import lay_out
from hoptrail.indexing.loading.metadata import front_metadata
from hoptrail.indexing.loading.readers.content import Block, Content, heading
from hoptrail.indexing.loading.readers.encodings import decoded
from hoptrail.indexing.loading.readers.tables import table_blocks
from hoptrail.indexing.loading.readers.titles import first_heading, guess_title, name_as_words

if TYPE_CHECKING:
    from markdown_it.token import Token

_FENCE = "---"
_MARKS = re.compile(r"^(?:#{1,6}|[-*>]) |\*\*", re.MULTILINE)  # around who speaks in minutes
_MOST_FRONT_LINES = 200


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
        elif token.type == "table_open":
            rows = []
        elif token.type == "table_close":
            yield from table_blocks(rows or [])
            rows = None
        elif token.type == "tr_open" and rows is not None:
            rows.append([])
        elif token.type == "inline":
            text = _plain(token)
            if rows is not None:
                rows[-1].append(text)
            elif text.strip():
                told = heading(text, level) if level else f"- {text}" if items else text
                yield Block(told)
        elif token.type in {"fence", "code_block"} and token.content.strip():
            yield Block(token.content.rstrip())


def _plain(token: Token) -> str:
    """Return what a reader sees of a line: no marks, no addresses, no tags."""
    parts = []
    for child in token.children or ():
        if child.type in {"text", "code_inline", "text_special"}:
            parts.append(child.content)
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append("\n")
        elif child.type == "image":
            parts.append(child.content)
    return "".join(parts).strip()
