"""HTML: the main text without menus, banners and footers, its headings and tables apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.content import (
    Block,
    Content,
    asked_heading,
    first_heading,
    guess_title,
    is_asked_alone,
    meant_title,
)
from hoptrail.indexing.loading.readers.pictures import HeldPictures, Shown, pictures_of_page
from hoptrail.indexing.loading.readers.raw_bytes import decoded
from hoptrail.indexing.loading.readers.web_tables import (
    is_data_table,
    own_rows,
    table_blocks_of,
    tables_in,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_TAGS = 50_000
_LEAST_SHARE = 0.3
_MOST_LINKED = 0.6
_SENTENCE_ENDS = (".", "?", "!")
_LONGEST_TERM = 80  # characters
_WORD = re.compile(r"\w+")
_CELL_END = re.compile(r"; |: ")
_NOT_TEXT = (
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "canvas",
    "form", "button", "select", "input", "textarea", "head", "title",
)  # fmt: skip
_NOT_MAIN = ("nav", "footer", "aside", "dialog", "menu")
_NOT_MAIN_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "dialog", "alertdialog", "search"}
)
# A wiki's marks within its text: "[1]" behind a sentence, "[edit]" beside a heading.
_MARKS = {"sup": "reference", "span": "mw-editsection"}
_PICTURES = ("img", "image")  # the second is that of SVG: the cover of a book, a scanned page
_BOLD = frozenset({"b", "strong", "dt", "summary"})  # terms and summaries head what is below them
_BOLD_STYLE = re.compile(r"font-weight\s{0,5}:\s{0,5}(?:bold|[6-9]00)", re.IGNORECASE)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    """address article aside blockquote body caption center dd details div dl dt fieldset figcaption
    figure footer header hr html li main nav ol p pre section summary ul table thead tbody tfoot tr
    td th""".split()
) | frozenset(_HEADINGS)


def read_html(path: Path) -> Content:
    """Return the main text of a page, and the pictures in it.

    Raises:
        InputError: If the page is no text, or has more than `MAX_TAGS` tags.
    """
    held = HeldPictures(without_declaration(decoded(path.read_bytes())))
    page = parsed(held.source)
    if page is None:
        raise InputError("holds no text")
    named = meant_title(page.findtext(".//title"))
    blocks, shown = main_text(held.source, page)
    texts = [block.text for block in blocks]
    title = first_heading(texts, is_main=True) or named or first_heading(texts)
    title = title or guess_title("\n\n".join(texts), path.stem)
    pictures = pictures_of_page(shown, held, path.parent.joinpath)
    return Content(title, tuple(blocks), pictures=tuple(pictures))


def parsed(source: str) -> _Element | None:
    """Return the tree of a page, None where there is nothing in it.

    Raises:
        InputError: If it has more than `MAX_TAGS` tags.
    """
    from lxml import html
    from lxml.etree import ParserError, XMLSyntaxError

    tags = source.count("<")
    if tags > 2 * MAX_TAGS:
        raise InputError(f"HTML of about {tags // 2:,} tags, more than {MAX_TAGS:,}")
    parser = html.HTMLParser(no_network=True, recover=True, encoding="utf-8")
    try:
        page: _Element | None = html.document_fromstring(
            source.encode(errors="replace"), parser=parser
        )
    except (ParserError, XMLSyntaxError, ValueError):
        return None
    return page


class PageText(NamedTuple):
    """The blocks of a page, and the pictures that it shows between them."""

    blocks: list[Block]
    pictures: list[Shown]


def main_text(source: str, page: _Element) -> PageText:
    """Return the paragraphs, headings and rows of a page's main text, with its pictures.

    trafilatura says where it begins and ends. Between these, only lists of links are left out, for
    trafilatura leaves out first questions and small print too. What it finds may be too little on a
    short page: then all is taken that stands outside of menus, asides and footers. A table that it
    finds a part of is taken whole.
    """
    source = _without_marks(source, page)
    blocks = _page_blocks(page)
    text = _found_by_trafilatura(source)
    if len(text.split()) < _LEAST_SHARE * sum(len(block.text.split()) for block in blocks):
        return _told(blocks)
    main = _MainText(text)
    found = [not block.picture and main.holds(block.block) for block in blocks]
    if True not in found:
        return _told(blocks)
    first, last = found.index(True), len(found) - 1 - found[::-1].index(True)
    titles = [at for at in range(first) if blocks[at].text.startswith("# ")]
    first = titles[-1] if titles else first
    while first and blocks[first].table and blocks[first - 1].table == blocks[first].table:
        first -= 1
    while last + 1 < len(blocks) and blocks[last].table == blocks[last + 1].table != 0:
        last += 1
    while last + 1 < len(blocks) and blocks[last + 1].picture:
        last += 1
    return _told(
        blocks[at]
        for at in range(first, last + 1)
        if found[at] or blocks[at].linked <= _MOST_LINKED
    )


def all_text(page: _Element) -> PageText:
    """Return what a page says and shows, but in menus, asides and footers."""
    return _told(_page_blocks(page))


def _told(found: Iterable[_PageBlock]) -> PageText:
    text = PageText([], [])
    for one in found:
        if one.picture:
            text.pictures.append(Shown(len(text.blocks), one.picture))
        else:
            text.blocks.append(one.block)
    return text


def _without_marks(source: str, page: _Element) -> str:
    """Take a wiki's marks out of a page, and return its source without them."""
    from lxml.html import tostring

    marks = [
        element
        for element in page.iter(*_MARKS)
        if _MARKS[str(element.tag)] in str(element.get("class", "")).split()
    ]
    for mark in marks:
        _remove(mark)
    return str(tostring(page, encoding="unicode")) if marks else source


def _found_by_trafilatura(source: str) -> str:
    import logging

    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        return trafilatura.extract(source, include_comments=False, favor_recall=True) or ""
    # It raises whatever it stumbles over in a strange page; the page is then read as it is.
    except Exception:
        return ""


class _MainText:
    """Tells whether blocks stand in a text, looking for each from where the last one was found."""

    def __init__(self, text: str) -> None:
        self._lines = frozenset(map(_key, text.splitlines()))
        self._key = _key(text)
        self._at = 0

    def holds(self, block: Block) -> bool:
        """Return whether a block, or every cell of a row, stands in the text."""
        if block.row is not None:  # heads of several rows stand nowhere as they are told
            return all(self._stands(_key(cell)) for cell in block.row.cells if cell)
        if self._stands(_key(block.text)):
            return True
        cells = _CELL_END.split(block.text)
        return len(cells) > 1 and all(self._stands(_key(cell)) for cell in cells)

    def _stands(self, key: str) -> bool:
        if key in self._lines:
            return True
        at = self._key.find(key, self._at)
        if at < 0:
            return key in self._key[: self._at + len(key)]
        self._at = at
        return True


def _key(text: str) -> str:
    return "".join(_WORD.findall(text.casefold()))


def all_blocks(page: _Element) -> list[Block]:
    """Return the paragraphs, headings and rows of a page but those of menus, asides and footers."""
    return all_text(page).blocks


class _PageBlock(NamedTuple):
    """A block of a page and the share of its characters that are links, or a picture's address.

    `table` tells the tables of a page apart, 0 outside of any.
    """

    block: Block
    linked: float
    picture: str = ""
    table: int = 0

    @property
    def text(self) -> str:
        return self.block.text


def _page_blocks(page: _Element) -> list[_PageBlock]:
    for element in list(page.iter()):
        if element.tag == "svg" and (drawn := list(element.iter("image"))):
            element[:], element.text = drawn, None
        elif not isinstance(element.tag, str) or _is_apart(element):
            _remove(element)
    body = page.find(".//body")
    return _Collector().collect(page if body is None else body)


def _is_apart(element: _Element) -> bool:
    return (
        element.tag in _NOT_TEXT
        or element.tag in _NOT_MAIN
        or element.get("role") in _NOT_MAIN_ROLES
        or element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
    )


def _remove(element: _Element) -> None:
    """Take an element out of its page, but not the text behind it."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + element.tail
        else:
            before.tail = (before.tail or "") + element.tail
    parent.remove(element)


class _Collector:
    """Walks a page in order and puts its text into blocks."""

    def __init__(self) -> None:
        self._blocks: list[_PageBlock] = []
        self._term = -1  # where a term stands that waits for what is said of it
        self._line: list[str] = []
        self._shown: list[str] = []
        self._links = 0
        self._linked = 0
        self._tables = 0
        self._bolds = 0
        self._plain = 0  # characters of the line that are not in bold type

    def collect(self, body: _Element) -> list[_PageBlock]:
        """Return the blocks; the walk keeps its own stack, however deep the tags go."""
        stack: list[tuple[_Element, bool]] = [(body, True)]
        while stack:
            element, opens = stack.pop()
            if not opens:
                self._close(element)
            elif element.tag == "table" and is_data_table(element):
                self._end_line()
                self._shown += map(_address, element.iter(*_PICTURES))
                self._tables += 1
                rows = _table_of(element)
                self._blocks += [_PageBlock(block, 0.0, table=self._tables) for block in rows]
                self._add_pictures()
                self._add(element.tail)
            else:
                self._open(element)
                stack.append((element, False))
                stack.extend((child, True) for child in reversed(element))
        self._end_line()
        return self._blocks

    def _open(self, element: _Element) -> None:
        if element.tag in _BLOCKS or element.tag == "br":
            self._end_line()
        self._links += element.tag == "a"
        self._bolds += _is_bold(element)
        if element.tag in _PICTURES:
            self._shown.append(_address(element))
        self._add(element.text)

    def _close(self, element: _Element) -> None:
        tag = str(element.tag)
        if tag in _HEADINGS:
            self._end_line(f"{'#' * _HEADINGS[tag]} ")
        elif tag in _BLOCKS:
            self._end_line("- " if tag == "li" else "")
        if tag == "dt":
            self._term = len(self._blocks) - 1
        elif tag == "dd":
            self._join_term()
        self._links -= tag == "a"
        self._bolds -= _is_bold(element)
        self._add(element.tail)

    def _add(self, text: str | None) -> None:
        if text:
            self._line.append(text)
            self._linked += len(text.strip()) if self._links else 0
            self._plain += 0 if self._bolds else len(text.strip())

    def _join_term(self) -> None:
        """Tell a term of a list with what is said of it, where that is one line of text."""
        if self._term != len(self._blocks) - 2 or self._term < 0:
            return
        term, said = self._blocks[-2:]
        if term.picture or said.picture:
            return
        if len(term.text) <= _LONGEST_TERM and not term.text.endswith(_SENTENCE_ENDS):
            text = f"{term.text.rstrip(' :')}: {said.text}"
            linked = term.linked * len(term.text) + said.linked * len(said.text)
            self._blocks[-2:] = [_PageBlock(Block(text), linked / len(text))]
        self._term = -1

    def _end_line(self, prefix: str = "") -> None:
        if text := " ".join("".join(self._line).split()):
            is_asked = not self._plain and not prefix.startswith("#") and is_asked_alone(text)
            told = asked_heading(text) if is_asked else prefix + text
            self._blocks.append(_PageBlock(Block(told), self._linked / len(text)))
        self._line.clear()
        self._linked = self._plain = 0
        self._add_pictures()

    def _add_pictures(self) -> None:
        """Add the pictures of a line behind it."""
        self._blocks += [_PageBlock(Block(""), 0.0, shown) for shown in self._shown if shown]
        self._shown.clear()


def _table_of(table: _Element) -> Iterator[Block]:
    """Yield the rows of a table, each before what the tables in its cells tell."""
    within: list[list[Block]] = []
    for row in own_rows(table):
        inner = tables_in(row)
        for one in inner:
            _remove(one)
            one.tail = None  # a part of the cell now
        found = (told for one in inner for told in _Collector().collect(one))
        within.append([told.block for told in found if not told.picture])
    return table_blocks_of(table, within)


def _is_bold(element: _Element) -> bool:
    return element.tag in _BOLD or bool(_BOLD_STYLE.search(str(element.get("style", ""))))


def _address(picture: _Element) -> str:
    names = ("src", "href", "xlink:href")
    return next((str(picture.get(name)).strip() for name in names if picture.get(name)), "")


def without_declaration(source: str) -> str:
    """Return a page without the declaration of an encoding that no longer holds."""
    if not source.lstrip().startswith("<?xml"):
        return source
    return source.partition("?>")[2]
