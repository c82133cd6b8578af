"""Runs stored for publication: their records and figures, without their questions.

A folder of results holds a folder per question set, and in it

- `set.json`: title, description and the command that indexes the corpus;
- a folder per run: `run.json`, `summary.json`;
- `comparison.json`: the paired differences between the retrievers.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.eval.figures.comparison import Comparison
from hoptrail.eval.files.run_folder import RUN, SUMMARY, LoadedRun
from hoptrail.eval.files.text_files import read_object, write_object

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
