from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from hoptrail.cli.info import _show


def shown(document: dict[str, Any], *, levels: int = 0) -> str:
    """Return what a terminal of 80 columns shows of a base with one document."""
    counts = {"extracted": 1, "failed": 0}
    usage = {"llm_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "usd": 0.0}
    row = {
        "doc_id": "notes/a.docx",
        "title": "Insurance of the society",
        "status": "extracted",
        "chunks": 1,
    }
    facts: dict[str, Any] = {
        "name": "kb",
        "counts": {"documents": 1},
        "embedder": None,
        "generation": 1,
        "format_version": 6,
        "communities": {"levels": levels, "communities": 7, "reports": 7, "stale": False},
        "description": "",
        "unpublished_changes": False,
        "schema": {},
        "documents": [row | counts | usage | document],
    }
    stream = io.StringIO()
    _show(facts, Console(file=stream, width=80))
    return stream.getvalue()


def test_an_id_of_any_length_stays_on_one_line() -> None:
    long_id = "notes/" * 20 + "mill.md"
    assert long_id in shown({"doc_id": long_id}).splitlines()


def test_counts_of_nothing_are_left_out() -> None:
    assert "Insurance of the society · extracted · 1 chunk\n" in shown({}).replace("  ", "")


def test_failures_and_costs_are_shown() -> None:
    assert "extracted · 1 chunk · 3 failed · $0.2500" in shown({"failed": 3, "usd": 0.25})


def test_one_level_is_named_in_the_singular() -> None:
    assert "7 on 1 level, 7 with a report" in shown({}, levels=1)
