"""A metric: one value per question, with one name and one definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hoptrail.eval.systems.observation import Observation

Score = Callable[[Observation], float | None]


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure per question; `score` gives None where the question says nothing about it."""

    name: str
    description: str
    score: Score
