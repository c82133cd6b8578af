"""Progress of index, training and evaluation runs, on stderr."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Self

from hoptrail.cli.output import notes
from hoptrail.core.text import dollars

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from hoptrail.eval.runs.worker import RunProgress

_SECONDS = 10.0


def show_progress() -> ProgressBars | ProgressLines:
    """Return what shows progress: bars on a terminal, lines now and then elsewhere."""
    return ProgressBars() if notes().is_terminal else ProgressLines()


class ProgressBars:
    """A bar per stage, for a terminal. Until the first stage, the status line tells what is loaded.

    Implements `hoptrail.core.progress.Progress`.
    """

    def __init__(self) -> None:
        self._bars: dict[str, TaskID] = {}
        self._display: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._display is not None:
            self._display.stop()

    def start(self, stage: str, total: int | None) -> None:
        """Show a bar for the stage; one that comes again has its bar again."""
        if self._display is None:
            self._display = _started_display()
        if stage in self._bars:
            self._display.reset(self._bars[stage], total=total)
        else:
            self._bars[stage] = self._display.add_task(stage, total=total)

    def advance(self, stage: str, steps: int = 1) -> None:
        """Move the stage's bar."""
        if self._display is not None and stage in self._bars:
            self._display.advance(self._bars[stage], steps)

    def finish(self, stage: str) -> None:
        """Fill the stage's bar and stop its clock."""
        if self._display is None or stage not in self._bars:
            return
        bar = self._bars[stage]
        task = next(task for task in self._display.tasks if task.id == bar)
        total = task.total if task.total is not None else task.completed
        self._display.update(bar, total=total, completed=total)
        self._display.stop_task(bar)


def _started_display() -> Progress:
    from rich import progress

    display = progress.Progress(
        progress.TextColumn("{task.description:<14}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        console=notes(),
        transient=True,
    )
    display.start()
    return display


class ProgressLines:
    """Tells how far a stage is, at most every ten seconds; a run that is over before says nothing.

    Implements `hoptrail.core.progress.Progress`.
    """

    def __init__(self) -> None:
        self._totals: dict[str, int | None] = {}
        self._done: dict[str, int] = {}
        self._told_at = monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is to be put away."""

    def start(self, stage: str, total: int | None) -> None:
        """Begin to count the stage's steps, anew where it comes again."""
        self._totals[stage], self._done[stage] = total, 0
        self._tell(stage)

    def advance(self, stage: str, steps: int = 1) -> None:
        """Count steps."""
        if stage in self._done:
            self._done[stage] += steps
            self._tell(stage)

    def finish(self, stage: str) -> None:
        """Nothing more comes: the next stage, or the report, tells that it is over."""

    def _tell(self, stage: str) -> None:
        now = monotonic()
        if now - self._told_at < _SECONDS:
            return
        self._told_at = now
        total = self._totals[stage]
        of = "so far" if total is None else f"of {total:,}"
        notes().print(f"{stage}: {self._done[stage]:,} {of}", soft_wrap=True)


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

    def __exit__(self, *error: object) -> None:
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
