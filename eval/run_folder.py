"""The folder of a run: rows as they finish, its record and summary, and the names of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.eval.json_files import (
    JsonlLog,
    read_object,
    require_same,
    write_object,
    write_whole,
)

_NOT_A_SETTING = frozenset(
    {"system", "command", "date", "git", "generation", "n", "prompts", "hoptrail"}
)

ORACLE = "oracle"
ORACLE_NOTE = "the oracle answers from gold: its figures are no model's"

ROWS = "rows.jsonl"
SUMMARY = "summary.json"
REPORT = "report.html"
RUN = "run.json"
MISSING_GOLD = "missing_gold"
"""Code of the one failure that running again cannot mend."""


def name_runs(runs: Sequence[JsonDict]) -> tuple[str, ...]:
    """Return one name per run: its system, with the settings that set it apart where needed.

    The oracle is always named: its figures say what evidence allows, not what a model reaches.

    Args:
        runs: Run records, as in `run.json`.
    """
    return tuple(_number_repeats([_with_settings(run, runs) for run in runs]))


def _with_settings(run: JsonDict, runs: Sequence[JsonDict]) -> str:
    others = [other for other in runs if other.get("system") == run.get("system")]
    telling = [
        f"{name} {value}"
        for name, value in run.items()
        if isinstance(value, str | int | float)
        and name not in _NOT_A_SETTING
        and not (name == "model" and run.get("reader"))
        and (
            (name == "reader" and is_oracle(str(value)))
            or any(other.get(name) != value for other in others)
        )
    ]
    return ", ".join([str(run.get("system", "run")), *telling])


def _number_repeats(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return numbered


def is_oracle(name: str | None) -> bool:
    """Return whether a reader's name means the oracle, not a model of a provider."""
    return (name or "").strip().partition(":")[0] == ORACLE


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """A finished run: its record (`run.json`), its figures (`summary.json`) and its rows."""

    run: JsonDict
    summary: JsonDict
    rows: Sequence[JsonDict]


class RunFolder:
    """Rows of one run, kept so that an interrupted run continues where it stopped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = JsonlLog(path / ROWS)

    def resume(
        self,
        run: JsonDict,
        circumstances: JsonDict | None = None,
        defaults: JsonDict | None = None,
    ) -> list[JsonDict]:
        """Return the rows that an earlier, interrupted call finished with the same settings.

        A half-written last line and crashed questions are dropped: they are run again.

        Args:
            run: All that the rows depend on; recorded in `run.json`.
            circumstances: What is recorded beside it and may differ when a run is continued;
                those of its beginning are kept.
            defaults: What an older record, which lacks an entry, was made with.

        Raises:
            InputError: If the folder holds a run with other settings, or damaged rows.
        """
        known: JsonDict = {}
        if (self.path / RUN).exists():
            known = self.record()
            require_same({**(defaults or {}), **known}, run, self.path, "a run")
        rows = [row for row in self._log.read() if not has_crashed(row)]
        write_object(self.path / RUN, {**run, **(circumstances or {}), **(known if rows else {})})
        self._log.replace(rows)
        return rows

    def record(self) -> JsonDict:
        """Return what `run.json` says."""
        return read_object(self.path / RUN)

    def append(self, row: JsonDict) -> None:
        """Add a finished row, handed to the system when this returns."""
        self._log.append(row)

    def finish(self, summary: JsonDict, report: str) -> None:
        """Write `summary.json` and `report.html`."""
        write_object(self.path / SUMMARY, summary)
        write_whole(self.path / REPORT, f"{report}\n")


def load_run(path: Path) -> LoadedRun:
    """Return the run of a folder.

    Raises:
        InputError: If the folder holds no finished run, or a damaged one.
    """
    for name in (RUN, SUMMARY):
        if not (path / name).is_file():
            raise InputError(
                f"no finished run: it has no {name}",
                path=str(path),
                hint="give the --out folder of an evaluation that was not interrupted",
            )
    rows = JsonlLog(path / ROWS).read()
    return LoadedRun(read_object(path / RUN), read_object(path / SUMMARY), rows)


def has_crashed(row: JsonDict) -> bool:
    """Return whether the question of a row broke, so that it is worth another try."""
    return row["failure"] is not None and row["failure"]["code"] != MISSING_GOLD
