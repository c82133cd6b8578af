"""The charts of a page: main metrics, outcomes of the questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hoptrail.core.types import JsonDict
from hoptrail.eval.files.run_folder import LoadedRun
from hoptrail.eval.report.charts import Bar, Segment, bar_chart, stacked_chart
from hoptrail.eval.report.labels import MAIN_METRICS, label
from hoptrail.eval.report.outcomes import OUTCOMES, OutcomeClass, outcome_class

if TYPE_CHECKING:
    from markupsafe import Markup


def metric_chart(names: Sequence[str], runs: Sequence[LoadedRun]) -> Markup:
    """Return the main metrics that the runs measure, a bar for each run."""
    measured = [
        name for name in MAIN_METRICS if any(run.summary.get(name) is not None for run in runs)
    ]
    groups = [(label(name), [_metric_bar(run.summary, name) for run in runs]) for name in measured]
    return bar_chart("Main metrics with 95 % intervals", names, groups)


def _metric_bar(summary: JsonDict, name: str) -> Bar | None:
    value = summary.get(name)
    return None if value is None else Bar(value, summary.get("ci95", {}).get(name))


def count_outcomes(rows_of_runs: Sequence[Sequence[JsonDict]]) -> dict[OutcomeClass, list[int]]:
    """Return by class how many questions of each run are of it; classes without any are left out.

    Args:
        rows_of_runs: The rows of each run.
    """
    counts = [Counter(map(outcome_class, rows)) for rows in rows_of_runs]
    found = [kind for kind in OUTCOMES if any(kind in counted for counted in counts)]
    return {kind: [counted[kind] for counted in counts] for kind in found}


def outcome_chart(names: Sequence[str], outcomes: Mapping[OutcomeClass, Sequence[int]]) -> Markup:
    """Return the shares of the outcomes, a bar for each run."""
    bars = [
        (
            name,
            [
                Segment(kind.key, kind.label, counts[place])
                for kind, counts in outcomes.items()
                if counts[place]
            ],
        )
        for place, name in enumerate(names)
    ]
    return stacked_chart("Questions by outcome", bars)
