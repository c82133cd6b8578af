"""A trail as a graph: entities and claims as boxes, in rows by their distance from the start.

A picture has no layout engine that could be asked how wide a text is, and does not know the
reader's fonts. So widths are estimates for sans-serif fonts, for the widest of the common ones
(Verdana, DejaVu Sans).
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hoptrail.core.types.answer import TrailHop

_NARROW = frozenset("ijltfrI.,:;'|!()[]{}/\\`\" -")
_WIDE = frozenset("mwMW@%&\N{EM DASH}\N{HORIZONTAL ELLIPSIS}")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True, slots=True)
class Node:
    """An entity, or the claim of a hop; `hop` is None for an entity."""

    text: str
    hop: TrailHop | None = None
    is_answer: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A line between the claim of a hop and an entity, by their places among the nodes.

    `is_object` tells that the line leads from the claim to its object: it ends in an arrow.
    """

    hop: TrailHop
    claim: int
    entity: int
    is_object: bool


@dataclass(frozen=True, slots=True)
class TrailGraph:
    """Nodes and links in the order of the hops."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]


def trail_graph(hops: Iterable[TrailHop], answers: Collection[str] = ()) -> TrailGraph:
    """Return the graph of a trail; an entity of several hops is one node.

    A hop that does not name a subject and an object is a node with its claim's words.
    """
    wanted = {_key(answer) for answer in answers}
    nodes: list[Node] = []
    links: list[Link] = []
    entities: dict[str, int] = {}

    def entity(name: str) -> int:
        key = _key(name)
        if key not in entities:
            entities[key] = len(nodes)
            nodes.append(Node(clean(name), is_answer=key in wanted))
        return entities[key]

    for hop in hops:
        subject, target = _key(hop.subject), _key(hop.object)
        ends = [entity(hop.subject)] if subject else []
        claim = len(nodes)
        nodes.append(Node(clean(hop.predicate if subject and target else hop.claim), hop))
        ends += [entity(hop.object)] if target else []
        if subject:
            links.append(Link(hop, claim, ends[0], is_object=False))
        if target:
            links.append(Link(hop, claim, ends[-1], is_object=True))
    return TrailGraph(tuple(nodes), tuple(links))


def components(graph: TrailGraph, columns: int) -> list[list[list[int]]]:
    """Return the connected parts, each as rows of at most `columns` nodes.

    Rows go by the distance from the part's start, which is the end of its first hop that no other
    hop has: a trail is drawn from the thing that the question names to the answer, whichever way
    its claims are worded. Where too many nodes are equally far, some of them stand with what
    follows from them below the others.
    """
    neighbours: list[list[int]] = [[] for _ in graph.nodes]
    for link in graph.links:
        neighbours[link.claim].append(link.entity)
        neighbours[link.entity].append(link.claim)
    seen: set[int] = set()
    parts = []
    for claim, node in enumerate(graph.nodes):
        if node.hop is None or claim in seen:
            continue
        start = min(neighbours[claim], key=lambda end: len(neighbours[end]), default=claim)
        following = _spanning_tree(start, neighbours)
        seen.update(following)
        parts.append(_rows([start], following, columns))
    return parts


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()


def _spanning_tree(start: int, neighbours: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """Return for each node that can be reached those that are first reached from it."""
    following: dict[int, list[int]] = {start: []}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for other in neighbours[node]:
            if other not in following:
                following[node].append(other)
                following[other] = []
                waiting.append(other)
    return following


def _rows(nodes: list[int], following: dict[int, list[int]], columns: int) -> list[list[int]]:
    """Return the rows of nodes that are equally far, each with the rows that follow from it."""
    rows: list[list[int]] = []
    waiting = [nodes]
    while waiting:
        nodes = waiting.pop()
        row, rest = nodes[:columns], nodes[columns:]
        if not row:
            continue
        rows.append(row)
        waiting.append(rest)
        waiting.append([other for node in row for other in following[node]])
    return rows


def clean(text: str) -> str:
    """Return the text on one line, with characters that XML or a screen cannot show replaced."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", " ".join(text.split()))


def text_width(text: str, size: float) -> float:
    """Return the estimated width of a line in pixels, at a font of `size` pixels."""
    return size * sum(_em(character) for character in text)


def wrap(text: str, size: float, width: float, max_lines: int) -> tuple[str, ...]:
    """Break a text into lines of at most `width` pixels; what does not fit ends in an ellipsis.

    A word that is wider than a line, or a text without spaces, is broken between characters.
    """
    lines: list[str] = []
    line = ""
    for word in _pieces(clean(text), size, width):
        longer = f"{line} {word}".strip()
        if line and text_width(longer, size) > width:
            lines.append(line)
            longer = word
        line = longer
        if len(lines) > max_lines:
            break
    if line:
        lines.append(line)
    if len(lines) <= max_lines:
        return tuple(lines)
    return (*lines[: max_lines - 1], _shortened(lines[max_lines - 1], size, width))


def _em(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    if character in _NARROW:
        return 0.38
    if character in _WIDE:
        return 0.97
    return 0.74 if character.isupper() else 0.61


def _pieces(text: str, size: float, width: float) -> list[str]:
    """Return the words, each cut to pieces that fit on a line."""
    pieces = []
    for word in text.split():
        piece = ""
        for character in word:
            if piece and text_width(piece + character, size) > width:
                pieces.append(piece)
                piece = ""
            piece += character
        pieces.append(piece)
    return pieces


def _shortened(line: str, size: float, width: float) -> str:
    while line and text_width(line + ELLIPSIS, size) > width:
        line = line[:-1]
    return line.rstrip() + ELLIPSIS
