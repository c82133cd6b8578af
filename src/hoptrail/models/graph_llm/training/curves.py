"""The course of a training run: a CSV file that grows with it, and a picture of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

METRICS = ("hits@1", "hit", "set_f1")
COLUMNS: Sequence[str] = (
    "step",
    "phase",
    "epoch",
    "loss",
    "language_loss",
    "node_loss",
    "learning_rate",
    "gradient_norm",
    "seconds",
    *METRICS,
)
"""`step` counts from 1; `seconds` is the time since the start, over all sessions of the run."""

Row = Mapping[str, Any]
"""A value for some of the columns."""


class Curves:
    """A row per step in `curves.csv`; a column that says nothing of a step is empty.

    Args:
        folder: Folder of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._csv = folder / "curves.csv"
        self._picture = folder / "curves.png"

    def rows(self) -> list[dict[str, str]]:
        """Return the rows as text; a last line that was cut off is dropped."""
        if not self._csv.exists():
            return []
        whole = self._csv.read_text(encoding="utf-8").rpartition("\n")[0]
        return list(csv.DictReader(io.StringIO(whole)))

    def keep(self, steps: int) -> None:
        """Drop the rows beyond so many steps: the run goes on from there."""
        kept = [row for row in self.rows() if int(row["step"]) <= steps]
        temporary = self._csv.with_suffix(".new")
        with temporary.open("w", encoding="utf-8", newline="") as stream:
            table = csv.DictWriter(stream, COLUMNS)
            table.writeheader()
            table.writerows(kept)
        temporary.replace(self._csv)

    def append(self, row: Row) -> None:
        """Add the row of a step."""
        with self._csv.open("a", encoding="utf-8", newline="") as stream:
            csv.DictWriter(stream, COLUMNS).writerow(row)

    def draw(self) -> None:
        """Write `curves.png`: the losses above, the validation metrics below."""
        rows = self.rows()
        figure = Figure(figsize=(8, 7))
        losses, metrics = figure.subplots(2, 1, sharex=True)
        _plot(losses, rows, ("language_loss", "node_loss"), marker="")
        _plot(metrics, rows, METRICS, marker="o")
        losses.set_ylabel("loss")
        metrics.set_ylabel("validation")
        metrics.set_xlabel("step")
        figure.savefig(self._picture, dpi=100)


def _plot(axes: Axes, rows: Sequence[Mapping[str, str]], names: Sequence[str], marker: str) -> None:
    for name in names:
        points = [(int(row["step"]), float(row[name])) for row in rows if row[name]]
        if points:
            steps, values = zip(*points, strict=True)
            axes.plot(steps, values, marker=marker, label=name)
    if axes.has_data():
        axes.legend()
    axes.grid(alpha=0.3)
