"""Input that was left out, and why."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.types import Record


@dataclass(frozen=True, slots=True)
class Skipped(Record):
    """A file, or a line of one as `path:line`, that could not be used."""

    path: str
    reason: str
