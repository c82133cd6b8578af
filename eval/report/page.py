"""A run, or a comparison of runs, as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.comparison import Comparison, Contrast
from hoptrail.eval.report.charts import cost_chart, count_outcomes, metric_chart, outcome_chart
from hoptrail.eval.report.labels import (
    KEY_FIGURES,
    OUTCOMES,
    description,
    figure,
    interval,
    label,
    outcome_class,
    p_value,
    signed,
)
from hoptrail.eval.report.tables import comparison_table, figures_table, heat_map, settings_table
from hoptrail.eval.report.template import render_template, run_colour
from hoptrail.eval.run_folder import LoadedRun, name_runs

if TYPE_CHECKING:
    from markupsafe import Markup

_PAGE_CHARACTERS = 1_500_000
_LONGEST_PASSAGE = 500
_LONGEST_EVIDENCE = 3000
_SHOWN_PASSAGES = 10

_HEADLINES = ("accuracy", "recall@5", "coverage")
_SHOWN_FIGURES = 8


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


@dataclass(frozen=True, slots=True)
class Room:
    """How many characters of a passage, and of the rendered evidence, fit on the page."""

    passage: int
    evidence: int

    @classmethod
    def for_rows(cls, rows: int) -> Room:
        """Return the room of one of so many rows: a page of any run stays small."""
        room = _PAGE_CHARACTERS // max(1, rows)
        passage = min(_LONGEST_PASSAGE, room // 2 // _SHOWN_PASSAGES)
        return cls(passage, min(_LONGEST_EVIDENCE, room // 2))


def question_list(names: Sequence[str], rows: Sequence[Sequence[JsonDict]]) -> Iterator[Markup]:
    """Yield one `details` element per question.

    Args:
        names: The runs' names.
        rows: Per question its row in each run.
    """
    room = Room.for_rows(len(rows) * len(names))
    for of_question in rows:
        outcomes = [outcome_class(row) for row in of_question]
        yield render_template(
            "question.html",
            rows=of_question,
            names=names,
            outcomes=outcomes,
            is_flip=len({its_outcome.is_good for its_outcome in outcomes}) > 1,
            room=room,
        )


@dataclass(frozen=True, slots=True)
class _Tile:
    """A key figure; `colour` is the style class of the run that it belongs to."""

    name: str
    value: str
    note: str
    description: str | None = None
    colour: str | None = None


def header(names: Sequence[str], runs: Sequence[LoadedRun], n: int) -> Markup:
    """Return the title, the facts and the command of each run.

    Args:
        names: The runs' names.
        runs: The runs.
        n: How many questions the page shows.
    """
    return render_template(
        "header.html",
        title=f"{_title(names)} on {runs[0].run.get('questions', 'questions')}",
        facts=_facts(runs, n),
        commands=[str(run.run["command"]) for run in runs if run.run.get("command")],
    )


def _title(names: Sequence[str]) -> str:
    plain = [name.removeprefix("retriever:").removeprefix("preset:") for name in names]
    if len(plain) == 1:
        return plain[0]
    return f"{', '.join(plain[:-1])} and {plain[-1]}"


def _facts(runs: Sequence[LoadedRun], n: int) -> dict[str, str]:
    facts = {
        "questions": str(n),
        "failed": " / ".join(str(run.summary.get("n_failed", 0)) for run in runs),
        **{
            name.replace("_", " "): _shared(runs, name)
            for name in ("knowledge_base", "model", "k", "budget", "seed")
        },
        "date": _shared(runs, "date", length=10),
        "version": _shared(runs, "hoptrail"),
    }
    return {name: value for name, value in facts.items() if value}


def _shared(runs: Sequence[LoadedRun], name: str, length: int | None = None) -> str:
    """Return the runs' different values of a setting; of long ones the beginning."""
    values = (run.run.get(name) for run in runs)
    return " / ".join(dict.fromkeys(str(value)[:length] for value in values if value is not None))


def tiles(names: Sequence[str], runs: Sequence[LoadedRun], comparison: Comparison | None) -> Markup:
    """Return the key figures of a run, or of each run of a comparison its headline figure."""
    found = (
        _run_tiles(runs[0].summary) if comparison is None else _compared_tiles(names, comparison)
    )
    return render_template("tiles.html", tiles=list(found))


def _run_tiles(summary: JsonDict) -> Iterator[_Tile]:
    measured = [name for name in KEY_FIGURES if summary.get(name) is not None]
    for name in measured[:_SHOWN_FIGURES]:
        bounds = summary.get("ci95", {}).get(name)
        yield _Tile(
            label(name),
            figure(summary[name], name),
            interval(bounds, name) if bounds else _unit(name),
            description=description(name),
        )


def _unit(name: str) -> str:
    if name == "seconds_p50":
        return "per question, median"
    return "per question" if name.endswith("_mean") else "of the hops shown"


def _compared_tiles(names: Sequence[str], comparison: Comparison) -> Iterator[_Tile]:
    by_name = {metric.name: metric for metric in comparison.metrics}
    complete = [name for name in _HEADLINES if name in by_name and None not in by_name[name].means]
    if not complete:
        return
    headline = by_name[complete[0]]
    for place, (name, mean, contrast) in enumerate(
        zip(names, headline.means, headline.contrasts, strict=True)
    ):
        yield _Tile(
            name,
            figure(mean, headline.name),
            f"{label(headline.name)}, {_against_baseline(contrast)}",
            colour=run_colour(place),
        )


def _against_baseline(contrast: Contrast | None) -> str:
    if contrast is None:
        return "the baseline"
    difference = contrast.difference
    return f"{signed(difference.mean)} (p {p_value(difference.p)})"
