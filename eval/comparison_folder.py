"""The folder of a comparison: its figures, its page, its tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hoptrail.eval.comparison import Comparison
from hoptrail.eval.report.markdown import comparison_markdown
from hoptrail.eval.report.page import render_report
from hoptrail.eval.run_folder import LoadedRun


def write_comparison(out: Path, runs: Sequence[LoadedRun], comparison: Comparison) -> None:
    """Write `comparison.json`, `report.html` and `comparison.md`.

    Args:
        out: The folder, made where it does not exist.
        runs: The runs of the comparison, in its order.
        comparison: What was found about them.
    """
    out.mkdir(parents=True, exist_ok=True)
    figures = json.dumps(comparison.as_json(), indent=2, ensure_ascii=False)
    for name, text in (
        ("comparison.json", f"{figures}\n"),
        ("comparison.md", comparison_markdown(comparison)),
        ("report.html", render_report(runs, comparison)),
    ):
        (out / name).write_text(text, encoding="utf-8")
