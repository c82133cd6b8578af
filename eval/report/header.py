"""The top of a page: what was measured, when and how, and its key figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.comparison import Comparison, Contrast
from hoptrail.eval.files.run_folder import LoadedRun
from hoptrail.eval.report.labels import KEY_FIGURES, description, label
from hoptrail.eval.report.numbers import figure, interval, p_value, signed
from hoptrail.eval.report.template import render_template, run_colour

if TYPE_CHECKING:
    from markupsafe import Markup

_HEADLINES = ("accuracy", "recall@5", "coverage")
_SHOWN_FIGURES = 8


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
