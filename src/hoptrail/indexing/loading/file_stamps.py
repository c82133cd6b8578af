"""Tells files that are as they were when they were last read, without reading them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

READING_VERSION = 7
"""To be raised where a reader makes something else of a file: sync then reads all files again."""
_SETTLED_NS = 100_000_000  # a file that was written just now may be written again unnoticed


class FileStamps:
    """The versions of files, as the system tells them.

    Args:
        known: Stamp by real path of what is in the base; none where all is to be read.
        choices: What else decides how a file is read, such as the size of its passages.
    """

    def __init__(self, known: Mapping[str, str] | None = None, choices: str = "") -> None:
        self._known = known or {}
        self._choices = choices
        self.unchanged: set[str] = set()
        """Paths that need not be read again."""
        self.whole: dict[str, str] = {}
        """Stamps of the paths that were read from end to end."""

    def is_unchanged(self, path: str) -> bool:
        """Return whether a file is as it was, and note it."""
        known = self._known.get(path)
        if known is None or known != self.stamp(path):
            return False
        self.unchanged.add(path)
        return True

    def note_whole(self, path: str, before: str | None) -> None:
        """Note a file that was read from end to end.

        Args:
            path: Its real path.
            before: Its stamp when reading began; where it is another now, none is kept.
        """
        after = self.stamp(path)
        self.whole[path] = after if after is not None and after == before else ""

    def stamp(self, path: str) -> str | None:
        """Return what tells a file's version, None where that cannot be told."""
        try:
            status = os.stat(path)
        except OSError:
            return None
        if time.time_ns() - status.st_ctime_ns < _SETTLED_NS:
            return None
        times = f"{status.st_mtime_ns}:{status.st_ctime_ns}"
        return f"{status.st_ino}:{status.st_size}:{times}:{READING_VERSION}:{self._choices}"
