"""The folder of a run: rows as they finish, what they were run with, and the summary."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict

ROWS = "rows.jsonl"
SUMMARY = "summary.json"
REPORT = "report.html"
RUN = "run.json"
MISSING_GOLD = "missing_gold"
"""Code of the one failure that running again cannot mend."""


class RunFolder:
    """Rows of one run, kept so that an interrupted run continues where it stopped."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def resume(self, run: JsonDict) -> list[JsonDict]:
        """Return the rows that an earlier, interrupted call finished with the same settings.

        A half-written last line and crashed questions are dropped: they are run again.

        Args:
            run: All that the rows depend on; recorded in `run.json`.

        Raises:
            InputError: If the folder holds a run with other settings, or damaged rows.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        record = self.path / RUN
        if record.exists():
            _require_same(json.loads(record.read_text(encoding="utf-8")), run, self.path)
        rows = [row for row in read_rows(self.path / ROWS) if not _has_crashed(row)]
        _write_atomically(record, [json.dumps(run, indent=2, ensure_ascii=False)])
        _write_atomically(self.path / ROWS, map(_line, rows))
        return rows

    def append(self, row: JsonDict) -> None:
        """Add a finished row, on disk when this returns."""
        with (self.path / ROWS).open("a", encoding="utf-8") as stream:
            stream.write(_line(row) + "\n")

    def finish(self, summary: JsonDict, report: str) -> None:
        """Write `summary.json` and `report.html`."""
        text = json.dumps(summary, indent=2, ensure_ascii=False)
        _write_atomically(self.path / SUMMARY, [text])
        _write_atomically(self.path / REPORT, [report])


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


def _require_same(known: JsonDict, run: JsonDict, path: Path) -> None:
    other = [name for name in run if known.get(name) != run[name]]
    if other:
        raise InputError(
            f"the folder holds a run with another {other[0]}: {known.get(other[0])!r}, "
            f"not {run[other[0]]!r}",
            path=str(path),
            hint="use another --out folder",
        )


def _has_crashed(row: JsonDict) -> bool:
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
