"""A run, or a comparison of runs, as one HTML page that needs nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files

from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.comparison import Comparison
from hoptrail.eval.files.run_folder import LoadedRun
from hoptrail.eval.files.run_names import name_runs
from hoptrail.eval.report.charts import Bar, Segment, bar_chart, run_colour, stacked_chart
from hoptrail.eval.report.cost_chart import cost_chart
from hoptrail.eval.report.header import header, tiles
from hoptrail.eval.report.labels import MAIN_METRICS, label
from hoptrail.eval.report.markup import Child, Html, join, tag
from hoptrail.eval.report.outcomes import OUTCOMES, Outcome, outcome
from hoptrail.eval.report.questions import question_list
from hoptrail.eval.report.tables import comparison_table, figures_table, heat_map, settings_table


def render_report(runs: Sequence[LoadedRun], comparison: Comparison | None = None) -> str:
    """Return the page.

    Args:
        runs: One run, or those of the comparison in its order.
        comparison: What `compare_runs` found about them.
    """
    names = comparison.names if comparison else name_runs([loaded.run for loaded in runs])
    title = " vs ".join(names)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} · Hoptrail evaluation"),
        tag("style", _resource("style.css")),
    )
    rows = _rows(runs, comparison)
    main = tag("main", tiles(names, runs, comparison), _sections(names, runs, rows, comparison))
    script = tag("script", _resource("script.js"))
    body = tag("body", header(names, runs, len(rows)), main, script)
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _resource(name: str) -> Html:
    return Html(files("hoptrail.eval.report").joinpath(name).read_text(encoding="utf-8"))


def _rows(runs: Sequence[LoadedRun], comparison: Comparison | None) -> list[list[JsonDict]]:
    """Return per question its row in each run; of a comparison the common questions."""
    if comparison is None:
        return [[row] for row in runs[0].rows]
    tables = [{row["id"]: row for row in run.rows} for run in runs]
    return [[rows[question] for rows in tables] for question in comparison.questions]


def _sections(
    names: Sequence[str],
    runs: Sequence[LoadedRun],
    rows: Sequence[Sequence[JsonDict]],
    comparison: Comparison | None,
) -> Iterator[Html]:
    yield tag(
        "div",
        _section("Metrics", _legend(names), _metric_bars(names, runs)),
        tag(
            "div",
            _outcomes(names, rows),
            cost_chart(names, runs),
            _breakdowns(names, runs) if comparison is None else None,
            class_="column",
        ),
        class_="columns",
    )
    if comparison is not None:
        yield _section("Paired differences", _paired_note(comparison), comparison_table(comparison))
        yield from _breakdowns(names, runs)
    yield _section("All figures", figures_table(names, runs))
    yield _section(
        "Questions",
        _filters(rows),
        tag("div", question_list(names, rows), id="questions"),
    )
    yield _section("Settings", settings_table(names, runs))


def _section(title: str, *children: Child) -> Html:
    return tag("section", tag("h2", title), *children, class_="card")


def _legend(names: Sequence[str]) -> Html | None:
    if len(names) < 2:
        return None
    items = (
        tag("li", tag("i", class_=f"swatch {run_colour(place)}"), name)
        for place, name in enumerate(names)
    )
    return tag("ul", items, class_="legend")


def _metric_bars(names: Sequence[str], runs: Sequence[LoadedRun]) -> list[Html]:
    measured = [
        name for name in MAIN_METRICS if any(run.summary.get(name) is not None for run in runs)
    ]
    groups = [(label(name), [_metric_bar(run.summary, name) for run in runs]) for name in measured]
    note = tag("p", "Whiskers are 95 % bootstrap intervals over questions.", class_="note")
    return [bar_chart("Main metrics with 95 % intervals", names, groups), note]


def _metric_bar(summary: JsonDict, name: str) -> Bar | None:
    value = summary.get(name)
    return None if value is None else Bar(value, summary.get("ci95", {}).get(name))


def _breakdowns(names: Sequence[str], runs: Sequence[LoadedRun]) -> Iterator[Html]:
    for field in ("type", "hops"):
        groups = heat_map(field, names, runs)
        if groups is not None:
            yield _section(f"By {field}", groups)


def _outcomes(names: Sequence[str], rows: Sequence[Sequence[JsonDict]]) -> Html:
    counts = [
        Counter(outcome(of_question[place]) for of_question in rows) for place in range(len(names))
    ]
    found = [kind for kind in OUTCOMES if any(kind in counted for counted in counts)]
    bars = [
        (name, [Segment(kind.key, kind.label, counted[kind]) for kind in found if counted[kind]])
        for name, counted in zip(names, counts, strict=True)
    ]
    return _section(
        "What became of the questions",
        stacked_chart("Questions by outcome", bars),
        tag(
            "ul",
            (_outcome_key(kind, [counted[kind] for counted in counts]) for kind in found),
            class_="legend described",
        ),
    )


def _outcome_key(kind: Outcome, counts: Sequence[int]) -> Html:
    counted = f"{kind.label} {' / '.join(map(str, counts))}"
    return tag(
        "li",
        tag("i", class_=f"swatch {kind.key}"),
        tag("span", tag("b", counted), f" {kind.description}"),
    )


def _paired_note(comparison: Comparison) -> Html:
    left_out = [
        f"{count} of {name}"
        for name, count in zip(comparison.names, comparison.left_out, strict=True)
        if count
    ]
    rest = f" Without a pair and left out: {', '.join(left_out)}." if left_out else ""
    return tag(
        "p",
        f"Over the {comparison.n} questions that all runs have in common.{rest} Below each value: "
        "the difference to the baseline with its 95 % interval (paired bootstrap), two-sided "
        "p-values that are not corrected for their number, and on how many questions it was higher "
        "or lower. Differences with p < 0.05 are coloured.",
        class_="note",
    )


def _filters(rows: Sequence[Sequence[JsonDict]]) -> Html:
    found = {outcome(row) for of_question in rows for row in of_question}
    choices = [("all", "all"), *((kind.key, kind.label) for kind in OUTCOMES if kind in found)]
    if any(len({outcome(row).is_good for row in of_question}) > 1 for of_question in rows):
        choices.append(("flip", "flips between runs"))
    return tag(
        "form",
        tag(
            "fieldset",
            tag("legend", "Show"),
            (
                tag(
                    "label",
                    tag("input", type="radio", name="outcome", value=key, checked=key == "all"),
                    tag("span", text),
                )
                for key, text in choices
            ),
        ),
        tag(
            "label",
            tag("span", "Search", class_="hidden"),
            tag("input", type="search", id="search", placeholder="Search questions and answers"),
        ),
        tag("output", join(f"{len(rows)} of {len(rows)}"), id="shown"),
        id="filters",
    )
