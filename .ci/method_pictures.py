"""Draws how each method works, as docs/pictures/NAME.svg: boxes from the question to the answer.

    python .ci/method_pictures.py

A box with a bold edge asks a model, where there is one; a dotted arrow below goes back.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from textwrap import wrap

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"

# The boxes of each method, a star where a model is asked, and from where to where it goes back.
METHODS: dict[str, tuple[list[str], tuple[int, int] | None]] = {
    "vector": (["passages nearest by vectors", "*one prompt"], None),
    "reasoning": (
        [
            "entities, relations and passages (KET-RAG)",
            "graph walk keeps what joins",
            "*routed prompt",
            "marks",
        ],
        (2, 0),
    ),
    "growth": (
        [
            "eight passages that complete each other (setwise)",
            "*answer in steps",
            "facts that quotes bear out",
            "passages for what is open",
        ],
        (3, 1),
    ),
    "quick": (["four passages (setwise), cut", "*one short prompt", "checks of the answer"], None),
    "dagr": (
        ["*sub-questions", "connected subgraph of the next", "*its answer", "answer of all"],
        (2, 1),
    ),
    "dotrag": (
        [
            "*concepts and constraints",
            "paths from each concept",
            "*paths judged",
            "answer along them",
        ],
        (2, 1),
    ),
    "lightrag": (
        ["*keywords, details and themes", "entities and relations by vectors", "*answer in steps"],
        None,
    ),
    "pathrag": (
        ["*keywords", "nodes by vectors", "paths pruned by flow", "*answer in steps"],
        None,
    ),
    "relation_path": (
        ["named entities", "relation paths like the question", "*answer over the paths"],
        None,
    ),
    "multistage": (
        [
            "what the question is about",
            "edges around it, scored",
            "best connected part",
            "*answer in steps",
        ],
        None,
    ),
    "graphrag": (
        ["reports on communities", "*points of each batch", "*one answer that names reports"],
        None,
    ),
    "graphrag_local": (
        ["entities near the question", "their relations, reports, passages", "*answer in steps"],
        None,
    ),
    "cypher": (["*one Cypher query", "rows of the server", "trail of what matched"], (1, 0)),
    "tables": (
        ["tables near the question", "one SELECT, by template or *model", "cells are the trail"],
        None,
    ),
    "offline": (
        [
            "entities, relations and passages (KET-RAG)",
            "chains and values read out of sentences",
            "marks, reserve or decline",
        ],
        None,
    ),
}

_WIDTH, _HEIGHT, _GAP, _LETTERS = 150, 62, 34, 18
_STYLE = (
    "rect{fill:#f4f8f8;stroke:#00796b}.m{stroke-width:3}.e{fill:#00796b}text{font:13px sans-serif;"
    "text-anchor:middle;fill:#123}.e+text{fill:#fff}path{fill:none;stroke:#00796b;stroke-width:1.5;"
    "marker-end:url(#a)}.b{stroke-dasharray:4 3}"
)


def picture(name: str, steps: list[str], back: tuple[int, int] | None) -> str:
    """Return the drawing of a method."""
    boxes = ["question", *steps, "answer"]
    width = len(boxes) * (_WIDTH + _GAP) - _GAP + 8
    height = _HEIGHT + (44 if back else 8)
    told = escape(f"{name}: {', then '.join(step.replace('*', '') for step in boxes)}")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{told}"><title>{told}</title>'
        f"<style>{_STYLE}</style>"
        '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#00796b;stroke:none"/></marker></defs>'
    ]
    for at, step in enumerate(boxes):
        parts.append(_box(at, step, is_end=at in (0, len(boxes) - 1)))
        if at:
            parts.append(f'<path d="M{_left(at) - _GAP} {_HEIGHT / 2 + 4}H{_left(at) - 2}"/>')
    if back:
        begin, end = (_left(at + 1) + _WIDTH / 2 for at in back)
        low = _HEIGHT + 4
        parts.append(f'<path class="b" d="M{begin} {low}v26H{end}V{low + 2}"/>')
    return "".join([*parts, "</svg>\n"])


def _left(at: int) -> int:
    return 4 + at * (_WIDTH + _GAP)


def _box(at: int, step: str, *, is_end: bool) -> str:
    kind = "e" if is_end else "m" if "*" in step else ""
    lines = wrap(step.replace("*", ""), _LETTERS)
    top = 4 + _HEIGHT / 2 + 4.5 - (len(lines) - 1) * 8
    middle = _left(at) + _WIDTH / 2
    text = "".join(
        f'<tspan x="{middle}" y="{top + 16 * number}">{escape(line)}</tspan>'
        for number, line in enumerate(lines)
    )
    return (
        f'<rect class="{kind}" x="{_left(at)}" y="4" width="{_WIDTH}" height="{_HEIGHT}" rx="7"/>'
        f"<text>{text}</text>"
    )


def main() -> None:
    """Write every picture."""
    PICTURES.mkdir(exist_ok=True)
    for name, (steps, back) in METHODS.items():
        (PICTURES / f"{name}.svg").write_text(picture(name, steps, back), encoding="utf-8")


if __name__ == "__main__":
    main()
