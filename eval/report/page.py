"""A run, or a comparison of runs, as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.comparison import Comparison
from hoptrail.eval.files.run_folder import LoadedRun
from hoptrail.eval.files.run_names import name_runs
from hoptrail.eval.report.cost_chart import cost_chart
from hoptrail.eval.report.header import header, tiles
from hoptrail.eval.report.outcomes import OUTCOMES, outcome_class
from hoptrail.eval.report.page_charts import count_outcomes, metric_chart, outcome_chart
from hoptrail.eval.report.questions import question_list
from hoptrail.eval.report.tables import comparison_table, figures_table, heat_map, settings_table
from hoptrail.eval.report.template import render_template

if TYPE_CHECKING:
    from markupsafe import Markup


def render_report(runs: Sequence[LoadedRun], comparison: Comparison | None = None) -> str:
    """Return the page.

    Args:
        runs: One run, or those of the comparison in its order.
        comparison: What `compare_runs` found about them.
    """
    names = comparison.names if comparison else name_runs([loaded.run for loaded in runs])
    rows = _rows(runs, comparison)
    page = render_template(
        "page.html",
        title=" vs ".join(names),
        names=names,
        header=header(names, runs, len(rows)),
        tiles=tiles(names, runs, comparison),
        metrics=metric_chart(names, runs),
        outcomes=_outcomes(names, rows),
        costs=cost_chart(names, runs),
        breakdowns=_breakdowns(names, runs),
        comparison=comparison,
        left_out=_left_out(comparison) if comparison else [],
        differences=comparison_table(comparison) if comparison else None,
        figures=figures_table(names, runs),
        filters=_filters(rows),
        questions=question_list(names, rows),
        n=len(rows),
        settings=settings_table(names, runs),
    )
    return f"{page}\n"


def _rows(runs: Sequence[LoadedRun], comparison: Comparison | None) -> list[list[JsonDict]]:
    """Return per question its row in each run; of a comparison the common questions."""
    if comparison is None:
        return [[row] for row in runs[0].rows]
    tables = [{row["id"]: row for row in run.rows} for run in runs]
    return [[rows[question] for rows in tables] for question in comparison.questions]


def _breakdowns(names: Sequence[str], runs: Sequence[LoadedRun]) -> dict[str, Markup]:
    tables = {field: heat_map(field, names, runs) for field in ("type", "hops")}
    return {field: table for field, table in tables.items() if table is not None}


def _outcomes(names: Sequence[str], rows: Sequence[Sequence[JsonDict]]) -> Markup:
    outcomes = count_outcomes(
        [[of_question[place] for of_question in rows] for place in range(len(names))]
    )
    chart = outcome_chart(names, outcomes)
    return render_template("outcomes.html", chart=chart, outcomes=outcomes)


def _left_out(comparison: Comparison) -> list[str]:
    """Return which runs have questions without a pair, and how many."""
    of_runs = zip(comparison.names, comparison.left_out, strict=True)
    return [f"{count} of {name}" for name, count in of_runs if count]


def _filters(rows: Sequence[Sequence[JsonDict]]) -> list[tuple[str, str]]:
    """Return the choices of questions to show, by their keys for the script."""
    found = {outcome_class(row) for of_question in rows for row in of_question}
    choices = [("all", "all"), *((kind.key, kind.label) for kind in OUTCOMES if kind in found)]
    if any(len({outcome_class(row).is_good for row in of_question}) > 1 for of_question in rows):
        choices.append(("flip", "flips between runs"))
    return choices
