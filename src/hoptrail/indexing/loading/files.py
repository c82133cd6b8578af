"""Files: one path for each, however it was typed, and stamps that tell which have changed."""

from __future__ import annotations

import errno
import os
import time
import unicodedata
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

_MISSING = frozenset({errno.ENOENT, errno.ENOTDIR})
READING_VERSION = 7
"""To be raised where a reader makes something else of a file: sync then reads all files again."""
_SETTLED_NS = 100_000_000  # a file that was written just now may be written again unnoticed


def real_path(path: str | Path) -> str:
    """Return the one absolute path of a file or folder, however it was typed.

    Links among the folders are resolved; a file that is a link keeps its own name.
    """
    typed = os.path.expanduser(path)
    folder, name = os.path.split(str(typed).rstrip("/"))
    if os.path.isdir(typed) or name in ("", ".", ".."):
        return on_disk(os.path.realpath(typed))
    return on_disk(os.path.join(os.path.realpath(folder), name))


def is_below(path: str, folder: str) -> bool:
    """Return whether a real path is that of a folder or of something in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def is_missing(path: str) -> bool:
    """Return whether there is no file of that real path; what cannot be looked at counts as there.

    A file whose name changed in capitals alone is missing under its earlier name.
    """
    try:
        os.stat(path)
    except OSError as error:
        return error.errno in _MISSING
    return on_disk(path) != path


def on_disk(
    path: str,
    *,
    exists: Callable[[str], bool] = os.path.lexists,
    names_in: Callable[[str], Collection[str]] = os.listdir,
) -> str:
    """Return an absolute path with its names as the disk spells them.

    On Windows and macOS `Notes` and `notes` are the same folder, and ids must not depend on which
    of them was typed. What is not on the disk stays as typed.

    Args:
        path: The path, without links among its folders.
        exists: Whether a path leads anywhere.
        names_in: The names in a folder.
    """
    place, *names = Path(path).parts
    for name in names:
        place = os.path.join(place, _name_on_disk(name, place, exists, names_in))
    return place


def _name_on_disk(
    name: str,
    folder: str,
    exists: Callable[[str], bool],
    names_in: Callable[[str], Collection[str]],
) -> str:
    if not exists(os.path.join(folder, name.swapcase())):
        return name  # capitals matter, or there is nothing: no folder is listed for it
    try:
        found = names_in(folder)
    except OSError:
        return name
    if name in found:
        return name
    alike = [other for other in found if _without_case(other) == _without_case(name)]
    return alike[0] if len(alike) == 1 else name


def _without_case(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


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
