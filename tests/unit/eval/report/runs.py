"""Hand-made rows and runs for reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hoptrail.eval.figures.summary import summarize
from hoptrail.eval.metrics.registry import METRICS
from hoptrail.eval.run_folder import LoadedRun


def make_row(number: int, **fields: Any) -> dict[str, Any]:
    """Return the row of question `q<number>`; metrics that `scores` leaves out are not measured."""
    scores: dict[str, Any] = dict.fromkeys((metric.name for metric in METRICS), None)
    return {
        "id": f"q{number}",
        "question": f"Is <b>{number} & 2</b> bold?",
        "type": "bridge",
        "hops": 2,
        "unanswerable": False,
        "seconds": 0.5,
        "gold": {"answers": ["yes"], "documents": ["d1"]},
        "context": "",
        "failure": None,
        **fields,
        "scores": {**scores, **fields.get("scores", {})},
    }


def make_run(system: str, rows: Sequence[dict[str, Any]], **record: Any) -> LoadedRun:
    """Return a run with the summary of its rows."""
    run = {"system": system, "questions": "q.jsonl", "questions_sha256": "0", "k": 10}
    return LoadedRun({**run, **record}, summarize(rows), rows)
