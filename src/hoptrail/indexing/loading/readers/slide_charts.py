"""Boxes of a slide and the lines between them: what an organisation chart or a flow says.

A box is one thing, though its text stands in two lines: "Nils Oberg" above "Head Gardener". A line
with an arrow leads from one box to another; one without ranks the upper box over the lower.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_MOST_LINES = 4
_MOST_WORDS = 8  # of a line of a box
_PERSON = re.compile(r"(?:[A-Z][\w.'’-]{0,25}\s){1,3}[A-Z][\w'’-]{1,25}")
_BEFORE_ROLE = re.compile(r"\s[–—-]\s|\s?\(|,\s|:\s")
_CONNECTION = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_REACH = 0.12  # of a box's longer side: how far an end that is not glued to it may be off

Rectangle = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class ChartBox:
    """A box: the shape's id, its lines, and where it stands: left, top, right, bottom."""

    id: int
    lines: tuple[str, ...]
    place: Rectangle

    @property
    def text(self) -> str:
        """Its lines as one."""
        return ", ".join(self.lines)

    @property
    def person(self) -> str:
        """The name that it holds above or before a role, empty without one."""
        first, *below = self.lines
        name, *role = (first, *below) if below else _BEFORE_ROLE.split(first, 1)
        return name if role and _PERSON.fullmatch(name) else ""


def boxes_of(shapes: Sequence[Any]) -> dict[int, ChartBox]:
    """Return the shapes of a slide that are boxes with a few short lines, by their ids."""
    return {
        shape.shape_id: box for shape in shapes if (box := _box(shape)) is not None and box.lines
    }


def _box(shape: Any) -> ChartBox | None:
    if getattr(shape, "is_placeholder", False) or not getattr(shape, "has_text_frame", False):
        return None
    lines = [
        " ".join(line.split())
        for one in shape.text_frame.paragraphs
        for line in one.text.replace("\v", "\n").split("\n")
    ]
    lines = [line for line in lines if line]
    if len(lines) > _MOST_LINES or any(len(line.split()) > _MOST_WORDS for line in lines):
        return None
    if None in (shape.left, shape.top, shape.width, shape.height):
        return None
    place = (shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)
    return ChartBox(shape.shape_id, tuple(lines), place)


def relations_of(shapes: Sequence[Any], boxes: dict[int, ChartBox]) -> Iterator[str]:
    """Yield a sentence for each line that joins two boxes, in their order.

    Args:
        shapes: All shapes of the slide.
        boxes: Those that are boxes, by id.
    """
    for shape in shapes:
        if not hasattr(shape, "begin_x"):
            continue
        begin = _end_of(shape, "stCxn", (shape.begin_x, shape.begin_y), boxes)
        end = _end_of(shape, "endCxn", (shape.end_x, shape.end_y), boxes)
        if begin is not None and end is not None and begin is not end:
            yield _sentence(begin, end, *_arrows(shape))


def _end_of(
    shape: Any, tag: str, point: tuple[int, int], boxes: dict[int, ChartBox]
) -> ChartBox | None:
    """Return the box that an end of a line is glued to, else the nearest one within reach."""
    glued = shape._element.find(f".//{_CONNECTION}{tag}")  # the library has no other way
    if glued is not None:
        return boxes.get(int(glued.get("id")))
    apart = {box.id: _distance(point, box.place) for box in boxes.values()}
    nearest = min(apart, key=apart.__getitem__, default=None)
    if nearest is None:
        return None
    left, top, right, bottom = boxes[nearest].place
    reach = _REACH * max(right - left, bottom - top)
    return boxes[nearest] if apart[nearest] <= reach else None


def _distance(point: tuple[int, int], place: Rectangle) -> float:
    (x, y), (left, top, right, bottom) = point, place
    across, down = max(left - x, 0, x - right), max(top - y, 0, y - bottom)
    return float((across**2 + down**2) ** 0.5)


def _arrows(shape: Any) -> tuple[bool, bool]:
    """Return whether a line has an arrow at its begin, and at its end."""
    ends = (shape._element.find(f".//{_CONNECTION}{tag}") for tag in ("headEnd", "tailEnd"))
    at_begin, at_end = (one is not None and one.get("type", "none") != "none" for one in ends)
    return at_begin, at_end


def _sentence(begin: ChartBox, end: ChartBox, at_begin: bool, at_end: bool) -> str:
    """Return what a line says: who reports to whom, what leads where, what is below what."""
    upper, lower = (begin, end) if begin.place[1] <= end.place[1] else (end, begin)
    is_ranked = upper.place[3] <= lower.place[1]
    if is_ranked and upper.person and lower.person:
        return f"{lower.person} reports to {upper.person}."
    if at_begin != at_end:
        first, then = (begin, end) if at_end else (end, begin)
        return f"{first.text} leads to {then.text}."
    if is_ranked:
        return f"{lower.text} is below {upper.text}."
    return f"{begin.text} is joined to {end.text}."
