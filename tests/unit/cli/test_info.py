from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from hoptrail.cli.info import _show

ID = "notes/society/insurance-of-2026.docx"


def shown(document: dict[str, Any], *, levels: int = 0) -> str:
    """Return what a terminal of 80 columns shows of a base with one document."""
    counts = {"extracted": 1, "failed": 0}
    usage = {"llm_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "usd": 0.0}
    row = {"doc_id": ID, "title": "Insurance of the society", "status": "extracted", "chunks": 1}
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


def test_an_id_can_be_copied_from_a_narrow_terminal() -> None:
    assert ID in shown({})


def test_counts_of_nothing_are_left_out() -> None:
    assert "failed" not in shown({})


def test_failures_and_costs_are_shown() -> None:
    text = shown({"failed": 3, "usd": 0.25})
    assert "failed" in text
    assert "0.2500" in text


def test_one_level_is_named_in_the_singular() -> None:
    assert "7 on 1 level, 7 with a report" in shown({}, levels=1)
