"""How an evaluation looks in a terminal: a bar with the score so far, then the figures."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hoptrail.cli.output import grid
from hoptrail.core.money import dollars

if TYPE_CHECKING:
    from rich.console import Console

    from hoptrail.eval.runs.worker import RunProgress

_RANKING_FIGURE = "recall@5"


class ScoreBar:
    """A bar over the questions that shows the mean score so far; silent off a terminal."""

    def __init__(self, console: Console) -> None:
        from rich import progress

        self._display = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._bar = self._display.add_task("questions", total=None)

    def __enter__(self) -> Self:
        self._display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._display.stop()

    def update(self, state: RunProgress) -> None:
        """Show how far the run is."""
        parts = ["questions"]
        if state.score is not None:
            parts.append(f"{state.score_name} {state.score:.3f}")
        if state.usd:
            parts.append(dollars(state.usd))
        self._display.update(
            self._bar, total=state.total, completed=state.done, description=" ".join(parts)
        )


def show_summary(summary: dict[str, Any], console: Console) -> None:
    """Print every figure that was measured, with its 95 % interval where there is one.

    That nothing was ranked, or no gold documents are known, is said: it is no recall of 0. So is
    that the oracle answered, which is no model.
    """
    from hoptrail.eval.files.reader_names import ORACLE_NOTE, is_oracle

    table = grid()
    table.add_column(style="dim")
    intervals = summary.get("ci95") or {}
    for name, value in summary.items():
        if name == "reader" and value is not None:
            table.add_row(name, value, "")
        elif isinstance(value, int | float):
            bounds = intervals.get(name)
            interval = f"{bounds[0]:.3f} to {bounds[1]:.3f}" if bounds else ""
            table.add_row(name, _figure(value), interval)
        elif name == _RANKING_FIGURE and value is None:
            table.add_row("recall", "not scored", "")
    for name, share in (summary.get("errors") or {}).items():
        table.add_row(f"errors: {name}", _figure(share), "")
    for name, share in (summary.get("verdicts") or {}).items():
        table.add_row(name, _figure(share), "")
    console.print(table)
    if is_oracle(summary.get("reader")):
        console.print(ORACLE_NOTE, style="dim")


def describe_failures(rows: Sequence[dict[str, Any]]) -> str:
    """Return how many questions failed, and why the first one did."""
    failed = [row for row in rows if row["failure"] is not None]
    reason = " ".join(str(failed[0]["failure"]["message"]).split())
    return f"{len(failed)} of {len(rows)} questions failed, {failed[0]['id']} first: {reason}"


def _figure(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"
