"""Runs set against each other question by question; the first run is the baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.statistics import (
    McNemar,
    PairedDifference,
    mcnemar,
    mean,
    paired_difference,
)
from hoptrail.eval.figures.summary import COSTS
from hoptrail.eval.run_folder import LoadedRun, name_runs

_FLOOR = "coverage_random"  # says nothing about a run


@dataclass(frozen=True, slots=True)
class Contrast:
    """One metric of one run against the baseline.

    `higher`, `lower` and `equal` count the questions on which the run's score is so. Where every
    score is 0 or 1, `gained` and `lost` are the ids of the questions that turned to 1 and to 0, and
    `mcnemar` tests them.
    """

    difference: PairedDifference
    higher: int
    lower: int
    equal: int
    mcnemar: McNemar | None = None
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedMetric:
    """One metric over the `n` questions that every run which measures it has a score for.

    `means` has one mean per run, None where a run does not measure the metric; `contrasts` one per
    run too, None for those and for the baseline.
    """

    name: str
    n: int
    means: tuple[float | None, ...]
    contrasts: tuple[Contrast | None, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs over their common questions; `left_out` counts each run's questions without a pair.

    `readers` has one per run: what was given as `--reader` (the oracle is no model), else None.
    """

    names: tuple[str, ...]
    questions: tuple[str, ...]
    left_out: tuple[int, ...]
    readers: tuple[str | None, ...]
    metrics: tuple[ComparedMetric, ...]

    @property
    def n(self) -> int:
        """How many questions all runs have in common."""
        return len(self.questions)

    def as_json(self) -> JsonDict:
        """Return `comparison.json`: everything but the list of common questions."""
        record = asdict(self)
        del record["questions"]
        return {"baseline": self.names[0], "n": self.n, **record}


def compare_runs(runs: Sequence[LoadedRun]) -> Comparison:
    """Compare runs over the questions that they have in common.

    Args:
        runs: At least two runs over the same file of questions; the first is the baseline.

    Raises:
        InputError: If there is only one run, the files of questions differ, the same question has
            other gold answers, or no question is common to all.
    """
    if len(runs) < 2:
        raise InputError("one run has nothing to be compared with", hint="give two or more runs")
    names = name_runs([loaded.run for loaded in runs])
    for name, loaded in zip(names[1:], runs[1:], strict=True):
        _require_same_questions(runs[0], loaded, f"{names[0]} and {name}")
    tables = [{row["id"]: row for row in loaded.rows} for loaded in runs]
    common = [key for key in tables[0] if all(key in rows for rows in tables)]
    if not common:
        raise InputError(
            "the runs have no question in common", hint="evaluate them with the same --limit"
        )
    paired = [[rows[key] for key in common] for rows in tables]
    compared = (_compare(name, paired, score) for name, score in _scores(paired).items())
    return Comparison(
        names=names,
        questions=tuple(common),
        left_out=tuple(len(rows) - len(common) for rows in tables),
        readers=tuple(loaded.run.get("reader") for loaded in runs),
        metrics=tuple(metric for metric in compared if metric.n),
    )


def _require_same_questions(baseline: LoadedRun, other: LoadedRun, names: str) -> None:
    if baseline.run.get("questions_sha256") != other.run.get("questions_sha256"):
        raise InputError(
            f"{names} were run on different questions: {baseline.run.get('questions')} and "
            f"{other.run.get('questions')} differ in content",
            hint="compare runs over one and the same file",
        )
    gold = {row["id"]: row["gold"]["answers"] for row in baseline.rows}
    for row in other.rows:
        if gold.get(row["id"], row["gold"]["answers"]) != row["gold"]["answers"]:
            raise InputError(
                f"{names} scored question {row['id']!r} against different gold answers",
                hint="evaluate both again over the same file",
            )


Score = Callable[[JsonDict], float | None]


def _scores(paired: Sequence[Sequence[JsonDict]]) -> Mapping[str, Score]:
    """Return how each metric is read off a row, in the order of the rows' own scores."""
    names = dict.fromkeys(name for rows in paired for name in rows[0]["scores"])
    return {**{name: _score(name) for name in names if name != _FLOOR}, **COSTS}


def _score(name: str) -> Score:
    return lambda row: row["scores"].get(name)


def _compare(name: str, paired: Sequence[Sequence[JsonDict]], score: Score) -> ComparedMetric:
    columns = [[score(row) for row in rows] for rows in paired]
    measuring = [column for column in columns if column.count(None) < len(column)]
    places = [
        place
        for place in range(len(paired[0]))
        if measuring and all(column[place] is not None for column in measuring)
    ]
    kept = [
        [value for place in places if (value := column[place]) is not None] for column in columns
    ]
    ids = [paired[0][place]["id"] for place in places]
    return ComparedMetric(
        name,
        len(places),
        tuple(map(mean, kept)),
        (None, *(_contrast(ids, kept[0], scores) for scores in kept[1:])),
    )


def _contrast(
    ids: Sequence[str], baseline: Sequence[float], scores: Sequence[float]
) -> Contrast | None:
    """Return the contrast of two columns, None if one of them is not measured (empty)."""
    if not baseline or not scores:
        return None
    changes = [new - old for old, new in zip(baseline, scores, strict=True)]
    higher = tuple(key for key, change in zip(ids, changes, strict=True) if change > 0)
    lower = tuple(key for key, change in zip(ids, changes, strict=True) if change < 0)
    difference = paired_difference(changes)
    counts = (len(higher), len(lower), len(ids) - len(higher) - len(lower))
    if {*baseline, *scores} <= {0, 1}:
        return Contrast(difference, *counts, mcnemar(changes), higher, lower)
    return Contrast(difference, *counts)
