"""The record of one entity merge, by which it can be undone."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from hoptrail.core.types import Record


@dataclass(frozen=True, slots=True)
class Merge(Record):
    """Two mention groups that resolution joined into one entity.

    `kept` and `merged` are the groups' keys in resolution's own terms (such as name and type).
    Undoing a merge vetoes the pair, so that later resolution keeps the two apart.
    """

    id: str
    entity_id: str
    kept: str
    merged: str
    reason: str = ""

    @staticmethod
    def make_id(kept: str, merged: str) -> str:
        """Return the id of the pair in either order: 16 hexadecimal digits."""
        key = "\0".join(sorted((kept, merged)))
        return hashlib.sha256(key.encode()).hexdigest()[:16]
