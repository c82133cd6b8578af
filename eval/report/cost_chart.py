"""Quality against cost: a share against tokens, per run or per kind of question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import JsonDict
from hoptrail.eval.files.run_folder import LoadedRun
from hoptrail.eval.report.labels import label
from hoptrail.eval.report.scatter import Point, scatter_chart

if TYPE_CHECKING:
    from markupsafe import Markup

_QUALITY = ("accuracy", "coverage", "recall@5")


@dataclass(frozen=True, slots=True)
class CostChart:
    """A share against a cost; `title` says which points it has."""

    title: str
    chart: Markup


def cost_chart(names: Sequence[str], runs: Sequence[LoadedRun]) -> CostChart | None:
    """Return the chart, None where there are not two points with a cost.

    One run is split by type of question, else by hops. Where a run calls no model, the cost is the
    size of the evidence that a model would have to read.
    """
    if len(runs) == 1:
        summary = runs[0].summary
        by_hops = {f"{hops} hops": of for hops, of in (summary.get("by_hops") or {}).items()}
        groups: JsonDict = summary.get("by_type") or by_hops
        title = "Quality against tokens, by kind of question"
        names, figures = list(groups), list(groups.values())
    else:
        title, figures = "Quality against tokens", [run.summary for run in runs]
    cost, tokens = "tokens per question", [of.get("tokens_mean") or 0.0 for of in figures]
    if len(runs) > 1 and not all(tokens):
        cost, tokens = "tokens of evidence", [_evidence_tokens(run.rows) for run in runs]
    quality = next(
        (name for name in _QUALITY if all(of.get(name) is not None for of in figures)), None
    )
    if quality is None or len(figures) < 2 or not all(tokens):
        return None
    points = [
        Point(name, read, of[quality], of.get("ci95", {}).get(quality))
        for name, read, of in zip(names, tokens, figures, strict=True)
    ]
    return CostChart(title, scatter_chart(title, cost, label(quality), points))


def _evidence_tokens(rows: Sequence[JsonDict]) -> float:
    sizes = [row.get("tokens") or estimate_tokens(row.get("context") or "") for row in rows]
    return sum(sizes) / len(sizes) if sizes else 0.0
