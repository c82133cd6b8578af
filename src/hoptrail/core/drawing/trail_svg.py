"""The SVG of a drawn trail."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from string import Template
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, tostring

from hoptrail.core.drawing.trail_graph import clean, text_width
from hoptrail.core.drawing.trail_layout import (
    CAPTION_HEIGHT,
    CAPTION_SIZE,
    LINE_HEIGHT,
    MARK_WIDTH,
    STATE_WORDS,
    TEXT_SIZE,
    Box,
    Drawing,
    Point,
    Route,
    lay_out,
)
from hoptrail.core.language.messages import counted_in, worded

if TYPE_CHECKING:
    from hoptrail.core.types.answer import TrailHop

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Helvetica, Arial, sans-serif"
_DASHES = {"partly": "5 3", "none": "1.5 4"}
_MARKS = {
    "stated": ("M-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0z", "M-3.2 0.2L-0.9 2.6L3.4-2.4"),
    "partly": ("M0-7.5L7.5 0L0 7.5L-7.5 0z", "M-3.4 0.8C-2.2-1.6-1.2-1.6 0 0S2.2 1.6 3.4-0.8"),
    "none": ("M-6-6H6V6H-6z", "M-2.8-2.8L2.8 2.8M2.8-2.8L-2.8 2.8"),
}
"""The marks as a shape and the sign in it, around (0, 0): their shapes differ, not only colours."""
_RULES = Template("""
.hoptrail .paper,.hoptrail .claim rect{fill:$paper}
.hoptrail text{fill:$ink}
.hoptrail .caption{fill:$soft}
.hoptrail .entity rect{fill:$box;stroke:$edge}
.hoptrail .claim rect{stroke:$edge}
.hoptrail .answer rect{stroke:$answer}
.hoptrail .answer .caption{fill:$answer}
.hoptrail .route path{stroke:$line}
.hoptrail .route .arrow{fill:$line}
.hoptrail .stated .mark{fill:$stated}
.hoptrail .partly .mark{fill:$partly}
.hoptrail .none .mark{fill:$none}
.hoptrail .sign{stroke:$paper}
""")
"""The colours; all else is said by attributes, so that another stylesheet need tell colours only.

Plain colours and no variables: most programs that turn an SVG into a bitmap do not know those.
"""
_LIGHT = {
    "paper": "#ffffff",
    "ink": "#1d2430",
    "soft": "#5a6472",
    "line": "#8a94a3",
    "box": "#f3f5f8",
    "edge": "#c5ccd6",
    "answer": "#0b5cad",
    "stated": "#12723f",
    "partly": "#8a5a00",
    "none": "#b3261e",
}
_DARK = {
    "paper": "#14181f",
    "ink": "#e8ecf2",
    "soft": "#a8b2c0",
    "line": "#74808f",
    "box": "#1f2630",
    "edge": "#3d4857",
    "answer": "#7db8ff",
    "stated": "#5fd08f",
    "partly": "#f0b94a",
    "none": "#ff8a80",
}
_ROUND = 14.0
_SLIGHTLY_ROUND = 5.0
_BASELINE = 0.36
"""How far the baseline lies below the middle of a line, in parts of the font's size."""
_TITLE = ("Trail of {number} step", "Trail of {number} steps")
_EMPTY = Drawing(180.0, 40.0)


def trail_svg(
    hops: Sequence[TrailHop],
    *,
    width: int,
    answers: Collection[str],
    stylesheet: bool,
    language: str,
) -> str:
    """Return the drawing of a trail as an SVG document; see `Trail.to_svg`."""
    drawing = _EMPTY
    if hops:
        drawing = lay_out(hops, width=width, answers=answers, language=language)
    size = {"width": _number(drawing.width), "height": _number(drawing.height)}
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": "hoptrail",
            "role": "img",
            "viewBox": f"0 0 {size['width']} {size['height']}",
            "font-family": _FONT,
            **size,
        },
    )
    SubElement(svg, "title").text = counted_in(*_TITLE, len(hops), language)
    SubElement(svg, "desc").text = _description(hops, language)
    if stylesheet:
        dark = f"@media (prefers-color-scheme:dark){{{_RULES.substitute(_DARK)}}}"
        SubElement(svg, "style").text = _RULES.substitute(_LIGHT) + dark
        SubElement(svg, "rect", {"class": "paper", "rx": "8", **size})
    if not hops:
        _draw_text(svg, worded("The trail has no step.", language), drawing.width / 2, 24.0)
    for route in drawing.routes:
        _draw_route(svg, route)
    for box in drawing.boxes:
        _draw_box(svg, box)
    return tostring(svg, encoding="unicode")


def _description(hops: Sequence[TrailHop], language: str) -> str:
    steps = (
        worded(
            "Step {number}, {state}: {claim}.",
            language,
            number=hop.hop,
            state=worded(STATE_WORDS[hop.support], language),
            claim=_sentence(hop),
        )
        for hop in hops
    )
    return " ".join(steps)


def _sentence(hop: TrailHop) -> str:
    if hop.subject and hop.object:
        return clean(f"{hop.subject} {hop.predicate} {hop.object}")
    return clean(hop.claim)


def _draw_route(svg: Element, route: Route) -> None:
    group = SubElement(svg, "g", {"class": f"route {route.hop.support}"})
    attributes = {"fill": "none", "stroke-width": "1.5", "d": _curve(route)}
    if route.hop.support in _DASHES:
        attributes["stroke-dasharray"] = _DASHES[route.hop.support]
    SubElement(group, "path", attributes)
    if route.arrow is not None:
        x, y = route.points[-1] if route.arrow == "down" else route.points[0]
        back = -8 if route.arrow == "down" else 8
        tip = f"M{_number(x)} {_number(y)}l-4.5 {back}h9z"
        SubElement(group, "path", {"class": "arrow", "stroke": "none", "d": tip})


def _curve(route: Route) -> str:
    """Return the path: straight within the pairs of points, bent from one pair to the next."""
    path = ""
    last: Point | None = None
    for (x, start), (_, end) in zip(route.points[::2], route.points[1::2], strict=True):
        if last is None:
            path = f"M{_number(x)} {_number(start)}"
        else:
            middle = _number((last[1] + start) / 2)
            path += (
                f"C{_number(last[0])} {middle} {_number(x)} {middle} {_number(x)} {_number(start)}"
            )
        path += f"V{_number(end)}"
        last = (x, end)
    return path


def _draw_box(svg: Element, box: Box) -> None:
    hop = box.node.hop
    attributes = {"class": f"claim {hop.support}" if hop else "entity"}
    if box.node.is_answer:
        attributes["class"] += " answer"
    if hop is not None:
        attributes["data-hop"] = str(hop.hop)
    group = SubElement(svg, "g", attributes)
    SubElement(group, "title").text = _sentence(hop) if hop else box.node.text
    frame = {
        "x": _number(box.x - box.width / 2),
        "y": _number(box.y - box.height / 2),
        "width": _number(box.width),
        "height": _number(box.height),
        "rx": _number(_ROUND if hop else _SLIGHTLY_ROUND),
        "stroke-width": "2" if box.node.is_answer else "1",
    }
    if hop is not None and hop.support in _DASHES:
        frame["stroke-dasharray"] = _DASHES[hop.support]
    SubElement(group, "rect", frame)
    lines = len(box.lines) * LINE_HEIGHT
    middle = box.y + (CAPTION_HEIGHT / 2 if box.caption else 0.0)
    if box.caption:
        _draw_caption(group, box, middle - lines / 2 - CAPTION_HEIGHT / 2)
    weight = "500" if hop else "650"
    for number, line in enumerate(box.lines):
        centre = middle - lines / 2 + (number + 0.5) * LINE_HEIGHT
        _draw_text(group, line, box.x, centre + TEXT_SIZE * _BASELINE, {"font-weight": weight})


def _draw_caption(group: Element, box: Box, centre: float) -> None:
    look = {"class": "caption", "font-size": _number(CAPTION_SIZE)}
    baseline = centre + CAPTION_SIZE * _BASELINE
    if box.node.hop is None:
        _draw_text(group, box.caption, box.x, baseline, look)
        return
    left = box.x - (text_width(box.caption, CAPTION_SIZE) + MARK_WIDTH) / 2
    place = f"translate({_number(left + 7)} {_number(centre)})"
    mark = SubElement(group, "g", {"transform": place})
    shape, sign = _MARKS[box.node.hop.support]
    SubElement(mark, "path", {"class": "mark", "d": shape})
    stroke = {"fill": "none", "stroke-width": "1.8", "stroke-linecap": "round"}
    SubElement(mark, "path", {"class": "sign", "d": sign, **stroke})
    look["text-anchor"] = "start"
    _draw_text(group, box.caption, left + MARK_WIDTH, baseline, look)


def _draw_text(
    parent: Element, text: str, x: float, baseline: float, look: dict[str, str] | None = None
) -> None:
    place = {"x": _number(x), "y": _number(baseline)}
    attributes = {"font-size": _number(TEXT_SIZE), "text-anchor": "middle", **place, **(look or {})}
    SubElement(parent, "text", attributes).text = text


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
