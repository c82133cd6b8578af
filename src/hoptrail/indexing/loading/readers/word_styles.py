"""The styles of a Word file, and the numbers that Word counts itself, such as "4.2 (b)"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VALUE = f"{WORD}val"
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|contents|toa|index) (?:heading|\d)|table of figures", re.IGNORECASE)
_DEEPEST_OUTLINE = 8  # 9 is body text
_LONGEST_CHAIN = 20
_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST = 3999  # beyond it no Roman number is written
_UNNUMBERED = frozenset({"bullet", "none"})


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
        every = list(styles.iter(f"{WORD}style"))
        own = [one for one in every if one.get(f"{WORD}type") == "paragraph"]
        self._styles = {one.get(f"{WORD}styleId"): one for one in every}
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

    def is_bold(self, paragraph: Any) -> bool:
        """Return whether all text of a paragraph is in bold type, by its runs and their styles."""
        style = value_of(paragraph.find(f"{WORD}pPr"), "pStyle") or self._default
        runs = [run for run in paragraph.iter(f"{WORD}r") if _has_text(run)]
        return bool(runs) and all(self._is_bold_run(run, style) for run in runs)

    def _is_bold_run(self, run: Any, style: str | None) -> bool:
        marks = run.find(f"{WORD}rPr")
        own = _bold(marks)
        for named in (value_of(marks, "rStyle"), style):
            own = self._bold_style(named) if own is None else own
        return bool(own)

    def _bold_style(self, style: str | None) -> bool | None:
        """Return whether a style is bold, None where neither it nor those below it say so."""
        for _ in range(_LONGEST_CHAIN):
            element = self._styles.get(style)
            if element is None:
                return None
            found = _bold(element.find(f"{WORD}rPr"))
            if found is not None:
                return found
            style = value_of(element, "basedOn")
        return None

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


def _has_text(run: Any) -> bool:
    return any((one.text or "").strip() for one in run.iter(f"{WORD}t"))


def _bold(marks: Any) -> bool | None:
    found = None if marks is None else marks.find(f"{WORD}b")
    return None if found is None else found.get(_VALUE, "1") not in {"0", "false", "off"}


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


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list is numbered.

    `text` is such as "%1.%2". A paragraph of a level before `restarts` begins it anew, None for any
    level before its own. `is_legal` is whether numbers above its own are written in digits.
    """

    form: str
    text: str
    start: int
    restarts: int | None
    is_legal: bool
    style: str


class WordNumbering:
    """Counts the numbered paragraphs of a file in their order.

    Args:
        numbering: The element of `numbering.xml`, None where a file has none.
    """

    def __init__(self, numbering: Any | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._starts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, list[int]] = {}
        self._begun: set[str] = set()
        if numbering is not None:
            self._read(numbering)

    def label(self, place: ListPlace) -> str:
        """Count a paragraph and return its number, "" for a bullet or of an unknown list.

        A number that does not name the ones above it gets them before: "4.2 (b)", where the page
        shows "(b)" below "4.2".
        """
        kind = self._lists.get(place.list_id)
        levels = self._levels.get(kind or "", {})
        at = self._level(levels, place)
        if kind is None or at not in levels:
            return ""
        counts = self._counts.setdefault(kind, [0] * _LEVELS)
        if place.list_id not in self._begun:
            self._begun.add(place.list_id)
            for level, start in self._starts.get(place.list_id, {}).items():
                counts[level] = start - 1
        counts[at] = counts[at] + 1 if counts[at] else self._start(place.list_id, levels, at)
        for below in range(at + 1, _LEVELS):
            restarts = levels[below].restarts if below in levels else None
            if restarts is None or at < restarts:
                counts[below] = 0
        return _full_label(levels, counts, at)

    def _level(self, levels: Mapping[int, _Level], place: ListPlace) -> int:
        if place.level is not None:
            return place.level
        return next((at for at, one in levels.items() if one.style == place.style), 0)

    def _start(self, list_id: str, levels: Mapping[int, _Level], at: int) -> int:
        return self._starts.get(list_id, {}).get(at, levels[at].start)

    def _read(self, numbering: Any) -> None:
        linked = {}
        for one in numbering.findall(f"{WORD}abstractNum"):
            kind = one.get(f"{WORD}abstractNumId", "")
            self._levels[kind] = dict(map(_level, one.findall(f"{WORD}lvl")))
            if name := value_of(one, "styleLink"):
                linked[name] = self._levels[kind]
        for one in numbering.findall(f"{WORD}abstractNum"):
            if (name := value_of(one, "numStyleLink")) in linked:
                self._levels[one.get(f"{WORD}abstractNumId", "")] = linked[name or ""]
        for one in numbering.findall(f"{WORD}num"):
            list_id = one.get(f"{WORD}numId", "")
            self._lists[list_id] = value_of(one, "abstractNumId") or ""
            for other in one.findall(f"{WORD}lvlOverride"):
                start = value_of(other, "startOverride") or ""
                if start.isdecimal() and (at := _number(other, "ilvl")) is not None:
                    self._starts.setdefault(list_id, {})[at] = int(start)


def _level(element: Any) -> tuple[int, _Level]:
    start, restarts = value_of(element, "start") or "", value_of(element, "lvlRestart") or ""
    level = _Level(
        value_of(element, "numFmt") or "decimal",
        value_of(element, "lvlText") or "",
        int(start) if start.isdecimal() else 1,
        int(restarts) if restarts.isdecimal() else None,
        element.find(f"{WORD}isLgl") is not None,
        value_of(element, "pStyle") or "",
    )
    return _number(element, "ilvl") or 0, level


def _number(element: Any, name: str) -> int | None:
    value = element.get(f"{WORD}{name}", "")
    return int(value) if value.isdecimal() else None


def _full_label(levels: Mapping[int, _Level], counts: list[int], at: int) -> str:
    level = levels[at]
    if level.form in _UNNUMBERED:
        return ""

    def counted(match: re.Match[str]) -> str:
        named = int(match[1]) - 1
        form = levels[named].form if named in levels and not level.is_legal else "decimal"
        return _FORMS.get(form, str)(counts[named] or 1)

    own = " ".join(_PLACE.sub(counted, level.text).split())
    named = {int(place) - 1 for place in _PLACE.findall(level.text)}
    if not own or at == 0 or named != {at} or not counts[at - 1]:
        return own
    above = _full_label(levels, counts, at - 1)
    return f"{above.rstrip('.')} {own}" if above else own


def _roman(number: int) -> str:
    if not 0 < number <= _MOST:
        return str(number)
    told = ""
    for worth, sign in _ROMAN:
        times, number = divmod(number, worth)
        told += sign * times
    return told


def _letters(number: int) -> str:
    """Return "a" to "z", then "aa", "bb" and so on, as Word counts."""
    if number < 1:
        return str(number)
    times, place = divmod(number - 1, 26)
    return chr(ord("a") + place) * min(times + 1, 9)


def _ordinal(number: int) -> str:
    is_teen = number % 100 // 10 == 1
    return f"{number}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


_FORMS: dict[str, Callable[[int], str]] = {
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "decimalZero": lambda number: f"{number:02}",
    "ordinal": _ordinal,
}
