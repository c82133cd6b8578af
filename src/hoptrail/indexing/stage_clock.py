"""Seconds of the stages of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class StageClock:
    """Adds up the wall-clock seconds of stages, each of which may go on several times."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the time spent inside to a stage."""
        begin = perf_counter()
        try:
            yield
        finally:
            self._seconds[stage] = self._seconds.get(stage, 0.0) + perf_counter() - begin

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds by stage, to the millisecond."""
        return {stage: round(spent, 3) for stage, spent in self._seconds.items()}
