"""The keys of the names in many mentions, each made once."""

from __future__ import annotations

from hoptrail.core.text import name_key


class NameKeys(dict[str, str]):
    """Maps each name to its `name_key`.

    A resolution asks for the key of each name several times, and of more names than the cache of
    `name_key` holds.
    """

    def __missing__(self, name: str) -> str:
        """Make the key of a name that is asked for for the first time."""
        key = self[name] = name_key(name)
        return key
