"""The folder of a run: rows as they finish, what they were run with, and the summary."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict

ROWS = "rows.jsonl"
SUMMARY = "summary.json"
REPORT = "report.html"
RUN = "run.json"
MISSING_GOLD = "missing_gold"
"""Code of the one failure that running again cannot mend."""


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

    def resume(self, run: JsonDict, circumstances: JsonDict | None = None) -> list[JsonDict]:
        """Return the rows that an earlier, interrupted call finished with the same settings.

        A half-written last line and crashed questions are dropped: they are run again.

        Args:
            run: All that the rows depend on; recorded in `run.json`.
            circumstances: What is recorded beside it and may differ when a run is continued;
                those of its beginning are kept.

        Raises:
            InputError: If the folder holds a run with other settings, or damaged rows.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        known: JsonDict = {}
        if (self.path / RUN).exists():
            known = self.record()
            _require_same(known, run, self.path)
        rows = [row for row in read_rows(self.path / ROWS) if not has_crashed(row)]
        record = {**run, **(circumstances or {}), **(known if rows else {})}
        _write_atomically(self.path / RUN, [json.dumps(record, indent=2, ensure_ascii=False)])
        _write_atomically(self.path / ROWS, map(_line, rows))
        return rows

    def record(self) -> JsonDict:
        """Return what `run.json` says."""
        return _read_object(self.path / RUN)

    def append(self, row: JsonDict) -> None:
        """Add a finished row, on disk when this returns."""
        with (self.path / ROWS).open("a", encoding="utf-8") as stream:
            stream.write(_line(row) + "\n")

    def finish(self, summary: JsonDict, report: str) -> None:
        """Write `summary.json` and `report.html`."""
        text = json.dumps(summary, indent=2, ensure_ascii=False)
        _write_atomically(self.path / SUMMARY, [text])
        _write_atomically(self.path / REPORT, [report])


def load_run(path: Path) -> LoadedRun:
    """Return the run of a folder.

    Raises:
        InputError: If the folder holds no finished run, or a damaged one.
    """
    return LoadedRun(_read_object(path / RUN), _read_object(path / SUMMARY), read_rows(path / ROWS))


def read_rows(path: Path) -> list[JsonDict]:
    """Return the rows of a `rows.jsonl`, without a last line that was cut off in writing.

    Raises:
        InputError: If another line is no JSON object.
    """
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    rows = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                "damaged row", path=str(path), line=number, hint="use another --out folder"
            ) from error
        rows.append(row)
    return rows


def _read_object(path: Path) -> JsonDict:
    if not path.is_file():
        raise InputError(
            f"no finished run: it has no {path.name}",
            path=str(path.parent),
            hint="give the --out folder of an evaluation that was not interrupted",
        )
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError("damaged, not a JSON object", path=str(path)) from error
    if not isinstance(value, dict):
        raise InputError("damaged, not a JSON object", path=str(path))
    return value


def _require_same(known: JsonDict, run: JsonDict, path: Path) -> None:
    other = [name for name in run if known.get(name) != run[name]]
    if other:
        raise InputError(
            f"the folder holds a run with another {other[0]}: {known.get(other[0])!r}, "
            f"not {run[other[0]]!r}",
            path=str(path),
            hint="use another --out folder",
        )


def has_crashed(row: JsonDict) -> bool:
    """Return whether the question of a row broke, so that it is worth another try."""
    return row["failure"] is not None and row["failure"]["code"] != MISSING_GOLD


def _line(row: JsonDict) -> str:
    return json.dumps(row, ensure_ascii=False)


def _write_atomically(path: Path, lines: Iterable[str]) -> None:
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in lines)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)
