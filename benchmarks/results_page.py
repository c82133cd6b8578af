"""The page of published figures, made from stored runs and never typed.

Runs stored for publication: their records and figures, without their questions.

A folder of results holds a folder per question set, and in it

- `set.json`: title, description and the command that indexes the corpus;
- a folder per run: `run.json`, `summary.json`;
- `comparison.json`: the paired differences between the retrievers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.comparison import Comparison
from hoptrail.eval.json_files import read_object, write_object
from hoptrail.eval.report.labels import ABSENT, figure, interval, label, p_value, signed
from hoptrail.eval.report.tables import markdown_table
from hoptrail.eval.run_folder import RUN, SUMMARY, LoadedRun

_RETRIEVAL = (
    "recall@2",
    "recall@5",
    "recall@10",
    "all_support@5",
    "all_support@10",
    "coverage",
    "coverage_random",
    "seconds_p50",
    "seconds_p95",
)
_ANSWERS = (
    "accuracy",
    "f1",
    "em",
    "abstain_rate",
    "coverage",
    "llm_calls_mean",
    "tokens_mean",
    "seconds_p50",
    "seconds_p95",
)
_GRAPH = (
    "hits@1",
    "set_f1",
    "exact_match_node",
    "node_recall",
    "node_precision",
    "nodes_mean",
    "llm_calls_mean",
    "tokens_mean",
    "seconds_p50",
    "seconds_p95",
)
_OVERVIEW = (
    "recall@5",
    "coverage",
    "accuracy",
    "llm_calls_mean",
    "tokens_mean",
    "seconds_p50",
    "seconds_p95",
)
_DIFFERENCES = ("recall@5", "all_support@10", "coverage")
_HEADINGS = {
    "overview": "Everything side by side",
    "graph": "Answers and retrieved nodes",
    "retrieval": "Retrieval",
    "differences": "Paired differences",
    "answers": "Answers",
    "errors": "What became of the questions",
    "runs": "How the figures were made",
}
_INTRODUCTION = """\
# Results

Made by `make results` from the stored summaries in `benchmarks/results`; `make evaluate` runs the
evaluations again. In parentheses stand 95 % intervals, by bootstrap over the questions. Seconds are
per question, the median and the 95th percentile, with the embedding of the question; tokens are
those that models read and wrote. The oracle reader answers from gold exactly where the evidence in
its prompt supports the answer: it measures what retrieval and orchestration allow, not a model.
"""
_MARKED = re.compile(r"(<!-- results:(\S+) -->\n).*?(<!-- /results -->)", re.DOTALL)

_SET = "set.json"
_COMPARISON = "comparison.json"
_PUBLISHED = (
    "hoptrail",
    "git",
    "date",
    "command",
    "system",
    "reader",
    "questions",
    "questions_sha256",
    "n",
    "knowledge_base",
    "k",
    "budget",
    "seed",
)


def results_page(sets: Sequence[ResultSet]) -> str:
    """Return `docs/results.md`."""
    return "\n".join([_INTRODUCTION, *map(_section, sets)])


def results_tables(sets: Sequence[ResultSet]) -> dict[str, str]:
    """Return each table by `<set>/<table>`: overview, retrieval, graph, differences and so on."""
    return {f"{of.name}/{name}": table for of in sets for name, table in _tables(of)}


def fill_markers(text: str, tables: Mapping[str, str], path: Path) -> str:
    """Return the text with the tables that its markers name.

    A table stands between `<!-- results:NAME -->` and `<!-- /results -->`, on lines of their own.

    Args:
        text: Markdown.
        tables: Tables by name, as `results_tables` gives them.
        path: Where the text stands, named in errors.

    Raises:
        InputError: If there is no table of a name.
    """

    def filled(found: re.Match[str]) -> str:
        opening, name, closing = found.groups()
        if name not in tables:
            raise InputError(
                f"no table of results is called {name!r}",
                path=str(path),
                hint=f"known: {', '.join(tables)}",
            )
        return f"{opening}{tables[name]}{closing}"

    return _MARKED.sub(filled, text)


def _section(of: ResultSet) -> str:
    parts = [f"## {of.about['title']}\n\n{fill(of.about['description'], 100)}\n"]
    parts += [f"### {_HEADINGS[name]}\n\n{table}" for name, table in _tables(of)]
    return "\n".join([*parts, _commands(of)])


def _tables(of: ResultSet) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of the tables that the runs have figures for.

    Over a bare graph there are no passages to rank: what counts is which nodes are found.
    """
    if not any(stored.has_passages for stored in of.runs):
        yield "graph", _figures(of.runs, _GRAPH)
        yield "runs", _origins(of.runs)
        return
    yield "overview", _figures(of.runs, _OVERVIEW)
    retrievers = [stored for stored in of.runs if not stored.has_answers]
    presets = [stored for stored in of.runs if stored.has_answers]
    if retrievers:
        yield "retrieval", _figures(retrievers, _RETRIEVAL)
    if of.comparison is not None:
        yield "differences", differences_table(of.comparison, _DIFFERENCES)
    if presets:
        yield "answers", _figures(presets, _ANSWERS)
        yield "errors", _errors(presets)
    yield "runs", _origins(of.runs)


def _figures(runs: Sequence[StoredRun], metrics: Sequence[str]) -> str:
    return runs_table([of.name for of in runs], [of.summary for of in runs], metrics)


def _errors(runs: Sequence[StoredRun]) -> str:
    shares = {of.name: of.summary.get("errors") or {} for of in runs}
    classes = list(dict.fromkeys(name for found in shares.values() for name in found))
    rows = [[run, *(figure(found.get(name)) for name in classes)] for run, found in shares.items()]
    return markdown_table(["run", *map(label, classes)], rows)


def _origins(runs: Sequence[StoredRun]) -> str:
    rows = (
        [
            of.name,
            figure(of.summary["n"]),
            str(of.run.get("date") or ABSENT)[:10],
            str(of.run.get("hoptrail") or ABSENT),
            str(of.run.get("git") or ABSENT)[:12],
        ]
        for of in runs
    )
    return markdown_table(["run", "n", "date", "version", "revision"], rows)


def _commands(of: ResultSet) -> str:
    commands = [of.about.get("index"), *(stored.run.get("command") for stored in of.runs)]
    return "".join(f"    {command}\n" for command in commands if command)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The record and the figures of a run; `name` is that of its folder."""

    name: str
    run: JsonDict
    summary: JsonDict

    @property
    def has_answers(self) -> bool:
        """Whether the run answered questions, not only retrieved for them."""
        return self.summary.get("accuracy") is not None

    @property
    def has_passages(self) -> bool:
        """Whether passages were ranked and their gold is known."""
        return self.summary.get("recall@5") is not None


@dataclass(frozen=True, slots=True)
class ResultSet:
    """The runs over one set of questions, in order of coverage; `comparison` may be missing."""

    name: str
    about: JsonDict
    runs: tuple[StoredRun, ...]
    comparison: JsonDict | None


def load_results(folder: Path) -> list[ResultSet]:
    """Return the question sets of a folder of results, by name.

    Raises:
        InputError: If the folder holds none.
    """
    sets = [_load_set(path.parent) for path in sorted(folder.glob(f"*/{_SET}"))]
    if not sets:
        raise InputError("no results", path=str(folder), hint="run `make evaluate` first")
    return sets


def store_set(folder: Path, about: JsonDict) -> None:
    """Write what is known about a set of questions: `title`, `description`, `index`."""
    write_object(folder / _SET, about)


def store_run(folder: Path, loaded: LoadedRun) -> None:
    """Write the published part of a run: no rows, nothing about the machine."""
    write_object(
        folder / RUN, {name: loaded.run[name] for name in _PUBLISHED if name in loaded.run}
    )
    write_object(folder / SUMMARY, loaded.summary)


def store_comparison(folder: Path, comparison: Comparison) -> None:
    """Write the differences of a comparison, without the ids of the questions that flipped."""
    record = comparison.as_json()
    for metric in record["metrics"]:
        for contrast in filter(None, metric["contrasts"]):
            del contrast["gained"], contrast["lost"]
    write_object(folder / _COMPARISON, record)


def _load_set(folder: Path) -> ResultSet:
    runs = (
        StoredRun(path.parent.name, read_object(path.parent / RUN), read_object(path))
        for path in folder.glob(f"*/{SUMMARY}")
    )
    comparison = folder / _COMPARISON
    return ResultSet(
        name=folder.name,
        about=read_object(folder / _SET),
        runs=tuple(sorted(runs, key=lambda of: (of.summary.get("coverage") or 0.0, of.name))),
        comparison=read_object(comparison) if comparison.exists() else None,
    )


def runs_table(names: Sequence[str], summaries: Sequence[JsonDict], metrics: Sequence[str]) -> str:
    """Return runs against metrics, each figure with its 95 % interval where it has one.

    Args:
        names: What the runs are called.
        summaries: Their figures, as in `summary.json`.
        metrics: The figures to show; those that no run measures are left out.
    """
    measured = [
        name for name in metrics if any(summary.get(name) is not None for summary in summaries)
    ]
    rows = (
        [name, figure(summary.get("n")), *(_with_interval(summary, metric) for metric in measured)]
        for name, summary in zip(names, summaries, strict=True)
    )
    return markdown_table(["run", "n", *map(label, measured)], rows)


def differences_table(comparison: JsonDict, metrics: Sequence[str]) -> str:
    """Return each run's differences to the baseline, a run per line.

    Args:
        comparison: A comparison, as in `comparison.json`.
        metrics: The metrics to show; those that were not compared are left out.
    """
    compared = {metric["name"]: metric for metric in comparison["metrics"]}
    shown = [compared[name] for name in metrics if name in compared]
    rows = (
        [name, *(_difference(metric["contrasts"][place]) for metric in shown)]
        for place, name in enumerate(comparison["names"])
        if place
    )
    columns = [f"against {comparison['baseline']}", *(label(metric["name"]) for metric in shown)]
    return markdown_table(columns, rows)


def _difference(contrast: JsonDict | None) -> str:
    if contrast is None:
        return ABSENT
    difference = contrast["difference"]
    bounds = " to ".join(map(signed, difference["ci95"]))
    return f"{signed(difference['mean'])} ({bounds}), p {p_value(difference['p'])}"


def _with_interval(summary: JsonDict, metric: str) -> str:
    bounds = interval(summary.get("ci95", {}).get(metric), metric)
    value = figure(summary.get(metric), metric)
    return f"{value} ({bounds})" if bounds else value
