"""Progress of long runs where no terminal watches: a line on stderr now and then."""

from __future__ import annotations

from time import monotonic
from types import TracebackType
from typing import Self

from hoptrail.cli.output import notes

_SECONDS = 10.0


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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
