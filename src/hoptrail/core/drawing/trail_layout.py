"""Where the boxes and lines of a drawn trail stand.

A layered layout after Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical
System Structures" (1981): rows from the start downwards, in each row the order with few crossings,
and places as near as may be to those of the neighbours. Parts without a common node stand beside
each other. No two boxes overlap, and no line runs through a box.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from hoptrail.core.drawing.trail_graph import (
    Node,
    TrailGraph,
    components,
    text_width,
    trail_graph,
    wrap,
)
from hoptrail.core.language.detection import ENGLISH
from hoptrail.core.language.messages import worded

if TYPE_CHECKING:
    from hoptrail.core.types.answer import TrailHop

TEXT_SIZE = 13.0
CAPTION_SIZE = 11.0
LINE_HEIGHT = 17.0
CAPTION_HEIGHT = 16.0
MARK_WIDTH = 18.0
"""Space of a mark before its caption, in pixels as all measures here."""
STATE_WORDS = {"stated": "stated", "partly": "partly stated", "none": "not found"}
"""The marks of a trail in words."""

_BOLD = 1.1
"""How much wider bold text is."""
_BOX_WIDTH = 160.0
_PADDING = 8.0
_VERTICAL_PADDING = 8.0
_SEPARATION = 16.0
_PASSAGE_SEPARATION = 9.0
_ROW_GAP = 22.0
_MARGIN = 8.0
_MAX_LINES = 5
_SWEEPS = 8

Point = tuple[float, float]
Arrow = Literal["up", "down"]
"""Which way the arrow of a line points: up is at its first point, down at its last."""
_PASSAGE = Node("")


@dataclass(frozen=True, slots=True)
class Box:
    """A drawn node: its centre, its size, and its text in lines below a small caption."""

    node: Node
    caption: str
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Route:
    """A drawn line, from the upper box to the lower one.

    `points` come in pairs: between the two of a pair the line is straight and vertical, from one
    pair to the next it bends.
    """

    points: tuple[Point, ...]
    hop: TrailHop
    arrow: Arrow | None


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes and routes in a picture of `width` x `height` pixels."""

    width: float
    height: float
    boxes: tuple[Box, ...] = ()
    routes: tuple[Route, ...] = ()


@dataclass(slots=True)
class _Item:
    """A box in the making, or the passage of a line through a row; `room` is the row's height."""

    node: Node
    width: float
    height: float = 0.0
    caption: str = ""
    lines: tuple[str, ...] = ()
    x: float = 0.0
    y: float = 0.0
    room: float = 0.0
    above: list[_Item] = field(default_factory=list)
    below: list[_Item] = field(default_factory=list)


@dataclass(slots=True)
class _Chain:
    """The items that a line runs through, from the top, and whose claim it is."""

    items: list[_Item]
    hop: TrailHop
    arrow: Arrow | None


@dataclass(slots=True)
class _Part:
    """A connected part of the graph with its rows placed from (0, 0) on."""

    rows: list[list[_Item]]
    chains: list[_Chain]
    width: float = 0.0
    height: float = 0.0


def lay_out(
    hops: Sequence[TrailHop],
    *,
    width: float,
    answers: Collection[str] = (),
    language: str = ENGLISH,
) -> Drawing:
    """Return the drawing of a trail, about `width` pixels wide at the most."""
    graph = trail_graph(hops, answers)
    columns = max(1, int((width - 2 * _MARGIN + _SEPARATION) // (_BOX_WIDTH + _SEPARATION)))
    items = [_item(node, language) for node in graph.nodes]
    parts = [_part(graph, items, rows) for rows in components(graph, columns)]
    for part in parts:
        _place(part)
    drawn_width, drawn_height = _pack(parts, width - 2 * _MARGIN)
    return Drawing(
        drawn_width + 2 * _MARGIN,
        drawn_height + 2 * _MARGIN,
        tuple(_box(one) for part in parts for row in part.rows for one in row if _is_box(one)),
        tuple(_route(chain) for part in parts for chain in part.chains),
    )


def _item(node: Node, language: str) -> _Item:
    caption = worded("answer", language) if node.is_answer else ""
    mark = 0.0
    if node.hop is not None:
        state = worded(STATE_WORDS[node.hop.support], language)
        caption = f"{node.hop.hop} \N{MIDDLE DOT} {state}"
        mark = MARK_WIDTH
    size = TEXT_SIZE if node.hop else TEXT_SIZE * _BOLD
    lines = wrap(node.text, size, _BOX_WIDTH - 2 * _PADDING, _MAX_LINES)
    widths = [text_width(line, size) for line in lines]
    widest = max([*widths, mark + text_width(caption, CAPTION_SIZE), 24.0])
    height = LINE_HEIGHT * len(lines) + (CAPTION_HEIGHT if caption else 0.0)
    return _Item(
        node,
        min(widest + 2 * _PADDING, _BOX_WIDTH),
        height + 2 * _VERTICAL_PADDING,
        caption,
        lines,
    )


def _part(graph: TrailGraph, items: list[_Item], node_rows: list[list[int]]) -> _Part:
    """Return a part with its rows, and passages where lines cross rows."""
    rows = [[items[node] for node in row] for row in node_rows]
    row_of = {id(item): place for place, row in enumerate(rows) for item in row}
    chains = []
    for link in graph.links:
        claim, entity = items[link.claim], items[link.entity]
        if id(claim) not in row_of:
            continue
        is_claim_above = row_of[id(claim)] < row_of[id(entity)]
        upper, lower = (claim, entity) if is_claim_above else (entity, claim)
        chain = [upper]
        for row in rows[row_of[id(upper)] + 1 : row_of[id(lower)]]:
            chain.append(_Item(_PASSAGE, 0.0))
            row.append(chain[-1])
        chain.append(lower)
        for one, other in pairwise(chain):
            one.below.append(other)
            other.above.append(one)
        arrow: Arrow = "down" if is_claim_above else "up"
        chains.append(_Chain(chain, link.hop, arrow if link.is_object else None))
    return _Part(rows, chains)


def _place(part: _Part) -> None:
    """Give every item of a part its place."""
    part.rows = _untangled(part.rows)
    _place_across(part.rows)
    top = 0.0
    for row in part.rows:
        height = max(item.height for item in row)
        for item in row:
            item.y = top + height / 2
            item.room = height
        top += height + _ROW_GAP
    part.height = top - _ROW_GAP
    left = min(item.x - item.width / 2 for row in part.rows for item in row)
    for row in part.rows:
        for item in row:
            item.x -= left
    part.width = max(item.x + item.width / 2 for row in part.rows for item in row)


def _untangled(rows: list[list[_Item]]) -> list[list[_Item]]:
    """Return the rows in the order with the fewest crossings of those that were tried."""
    best, fewest = rows, _crossings(rows)
    for sweep in range(_SWEEPS):
        rows = _swept(rows, downwards=sweep % 2 == 0)
        crossings = _crossings(rows)
        if crossings < fewest:
            best, fewest = rows, crossings
    return best


def _swept(rows: list[list[_Item]], *, downwards: bool) -> list[list[_Item]]:
    """Return the rows, each ordered by where the neighbours in the row before it stand."""
    ordered: list[list[_Item]] = []
    for row in rows if downwards else reversed(rows):
        places = {id(item): place for place, item in enumerate(ordered[-1])} if ordered else {}

        def middle(
            entry: tuple[int, _Item],
            places: dict[int, int] = places,
        ) -> float:
            place, item = entry
            ends = item.above if downwards else item.below
            known = [places[id(end)] for end in ends]
            return sum(known) / len(known) if known else place

        ordered.append([item for _, item in sorted(enumerate(row), key=middle)])
    return ordered if downwards else ordered[::-1]


def _crossings(rows: list[list[_Item]]) -> int:
    crossings = 0
    for row, next_row in pairwise(rows):
        places = {id(item): place for place, item in enumerate(next_row)}
        lines = [(place, places[id(end)]) for place, item in enumerate(row) for end in item.below]
        crossings += sum(
            (one[0] - other[0]) * (one[1] - other[1]) < 0
            for number, one in enumerate(lines)
            for other in lines[:number]
        )
    return crossings


def _place_across(rows: list[list[_Item]]) -> None:
    """Move each row's items towards their neighbours, in their order and without overlap."""
    for row in rows:
        _spread(row, [0.0] * len(row))
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        for row in rows if downwards else reversed(rows):
            wanted = []
            for item in row:
                ends = (item.above if downwards else item.below) or [item]
                wanted.append(sum(end.x for end in ends) / len(ends))
            _spread(row, wanted)


def _spread(row: list[_Item], wanted: list[float]) -> None:
    """Place the items of a row as near to the wanted places as their widths allow.

    The least sum of squared moves under minimal distances: an isotonic regression.
    """
    if len(row) == 1:  # as in every chain: spares the first drawing the import
        row[0].x = wanted[0]
        return
    from scipy.optimize import isotonic_regression

    offsets = [0.0]
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + (one.width + other.width) / 2 + _separation(one, other))
    free = [place - offset for place, offset in zip(wanted, offsets, strict=True)]
    for item, place, offset in zip(row, isotonic_regression(free).x, offsets, strict=True):
        item.x = float(place) + offset


def _separation(one: _Item, other: _Item) -> float:
    return _SEPARATION if _is_box(one) and _is_box(other) else _PASSAGE_SEPARATION


def _pack(parts: list[_Part], width: float) -> tuple[float, float]:
    """Stand the parts beside each other, in as many lines as `width` asks for; return the size."""
    lines: list[list[_Part]] = []
    for part in parts:
        taken = sum(one.width + _SEPARATION for one in lines[-1]) if lines else width
        if not lines or taken + part.width > width:
            lines.append([])
        lines[-1].append(part)
    widths = [sum(one.width for one in line) + _SEPARATION * (len(line) - 1) for line in lines]
    widest = max(widths, default=0.0)
    top = _MARGIN
    for line, line_width in zip(lines, widths, strict=True):
        left = _MARGIN + (widest - line_width) / 2
        for part in line:
            _move(part, left, top)
            left += part.width + _SEPARATION
        top += max(part.height for part in line) + _ROW_GAP
    return widest, max(0.0, top - _ROW_GAP - _MARGIN)


def _move(part: _Part, across: float, down: float) -> None:
    for row in part.rows:
        for item in row:
            item.x += across
            item.y += down


def _is_box(item: _Item) -> bool:
    return item.node is not _PASSAGE


def _box(item: _Item) -> Box:
    return Box(item.node, item.caption, item.lines, item.x, item.y, item.width, item.height)


def _route(chain: _Chain) -> Route:
    """Return the line of a chain; beside a higher box it stays straight until its row ends."""
    first, *passages, last = chain.items
    points = [(first.x, first.y + first.height / 2), (first.x, first.y + first.room / 2)]
    for item in passages:
        points += [(item.x, item.y - item.room / 2), (item.x, item.y + item.room / 2)]
    points += [(last.x, last.y - last.room / 2), (last.x, last.y - last.height / 2)]
    return Route(tuple(points), chain.hop, chain.arrow)
