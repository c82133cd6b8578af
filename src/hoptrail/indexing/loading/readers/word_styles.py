"""Paragraph styles of a Word file: which are titles, headings, lists and tables of contents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VALUE = f"{WORD}val"
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|contents|toa|index) (?:heading|\d)|table of figures", re.IGNORECASE)
_DEEPEST_OUTLINE = 8  # 9 is body text
_LONGEST_CHAIN = 20


@dataclass(frozen=True, slots=True)
class ParagraphKind:
    """The kind of a paragraph: `level` is that of a heading, 0 for none."""

    level: int = 0
    is_title: bool = False
    is_item: bool = False
    is_contents: bool = False


class ListPlace(NamedTuple):
    """The list of a numbered paragraph, its level there from 0, and the paragraph's style.

    Without a level it is the one that belongs to the style.
    """

    list_id: str
    level: int | None
    style: str


class WordStyles:
    """Tells the kind of paragraphs.

    Args:
        styles: The element of all styles of a file.
    """

    def __init__(self, styles: Any) -> None:
        own = [one for one in styles.iter(f"{WORD}style") if one.get(f"{WORD}type") == "paragraph"]
        self._styles = {one.get(f"{WORD}styleId"): one for one in own}
        self._kinds: dict[str | None, ParagraphKind] = {}
        self._default = next(
            (one.get(f"{WORD}styleId") for one in own if one.get(f"{WORD}default") == "1"), None
        )

    def kind(self, paragraph: Any) -> ParagraphKind:
        """Return the kind of a paragraph, by its style and its own marks."""
        own = paragraph.find(f"{WORD}pPr")
        style = value_of(own, "pStyle") or self._default
        if style not in self._kinds:
            self._kinds[style] = self._kind_of_style(style)
        kind = self._kinds[style]
        level = _outline_level(own)
        is_item = kind.is_item if _numbering(own) is None else bool(_numbering(own))
        return ParagraphKind(level or kind.level, kind.is_title, is_item, kind.is_contents)

    def list_place(self, paragraph: Any) -> ListPlace | None:
        """Return the list that a paragraph belongs to, by its own marks or its style."""
        own = paragraph.find(f"{WORD}pPr")
        style = value_of(own, "pStyle") or self._default
        named, list_id, level = style or "", "", None
        for marks in (own, *self._marks(style)):
            numbered = None if marks is None else marks.find(f"{WORD}numPr")
            if numbered is not None:
                given = value_of(numbered, "ilvl") or ""
                level = int(given) if level is None and given.isdecimal() else level
                list_id = value_of(numbered, "numId") or ""
            if list_id:
                return None if list_id == "0" else ListPlace(list_id, level, named)
        return None

    def _marks(self, style: str | None) -> Iterator[Any]:
        """Yield the marks of paragraphs of a style, and of those that it is made from."""
        for _ in range(_LONGEST_CHAIN):
            element = self._styles.get(style)
            if element is None:
                return
            yield element.find(f"{WORD}pPr")
            style = value_of(element, "basedOn")

    def _kind_of_style(self, style: str | None) -> ParagraphKind:
        """Return the kind of a style, which may be that of the style it is made from."""
        name, level, is_item = "", 0, False
        for _ in range(_LONGEST_CHAIN):
            element = self._styles.get(style)
            if element is None:
                break
            own_name = value_of(element, "name") or ""
            name = name or own_name
            heading = _HEADING.match(own_name)
            marks = element.find(f"{WORD}pPr")
            level = level or (int(heading[1]) if heading else _outline_level(marks))
            is_item = is_item or own_name.startswith("List") or bool(_numbering(marks))
            style = value_of(element, "basedOn")
        is_contents = _CONTENTS.match(name) is not None
        return ParagraphKind(level, name == "Title", is_item, is_contents)


def value_of(element: Any, name: str) -> str | None:
    """Return the value of a mark within an element, None where it has none."""
    found = None if element is None else element.find(f"{WORD}{name}")
    return None if found is None else found.get(_VALUE)


def _outline_level(marks: Any) -> int:
    value = value_of(marks, "outlineLvl") or ""
    return int(value) + 1 if value.isdecimal() and int(value) <= _DEEPEST_OUTLINE else 0


def _numbering(marks: Any) -> int | None:
    """Return the number of the list, 0 where a paragraph leaves its style's, None without one."""
    numbered = None if marks is None else marks.find(f"{WORD}numPr")
    if numbered is None:
        return None
    value = value_of(numbered, "numId") or ""
    return int(value) if value.isdecimal() else None
