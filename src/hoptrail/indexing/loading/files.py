"""Files: one path for each, stamps that tell which have changed, and those that are left out."""

from __future__ import annotations

import errno
import os
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from hoptrail.core.text import counted
from hoptrail.core.types import Record

_MISSING = frozenset({errno.ENOENT, errno.ENOTDIR})
READING_VERSION = 9
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


def plain(text: str) -> str:
    """Return a text as UTF-8 can hold it, such as the name of a file with other bytes.

    Lone surrogates pass through JSON escapes, too, but cannot be stored.
    """
    return text.encode(errors="replace").decode()


class FileStamps:
    """The versions of files, as the system tells them, or as stores of objects do.

    Args:
        known: Stamp by real path or address of what is in the base; none where all is to be read.
        choices: What else decides how a file is read, such as the size of its passages.
    """

    def __init__(self, known: Mapping[str, str] | None = None, choices: str = "") -> None:
        self._known = known or {}
        self._choices = choices
        self.unchanged: set[str] = set()
        """Paths and addresses that need not be read again."""
        self.whole: dict[str, str] = {}
        """Stamps of the paths that were read from end to end."""

    def is_unchanged(self, path: str, stamp: str | None = None) -> bool:
        """Return whether a file is as it was, and note it.

        Args:
            path: Its real path, or its address.
            stamp: What tells its version; that of the file on the disk if None.
        """
        known = self._known.get(path)
        if known is None or known != (stamp or self.stamp(path)):
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
        return self.of_version(f"{status.st_ino}:{status.st_size}:{times}")

    def of_version(self, version: str) -> str:
        """Return the stamp of a file whose version is known: how it is read belongs to it."""
        return f"{version}:{READING_VERSION}:{self._choices}"


HOW_TO_TAKE_ALL = "--no-ignore (ignore=False) reads them too"
_OF_TOOLS = frozenset(
    {
        "node_modules",
        "bower_components",
        "site-packages",
        "__pycache__",
        ".venv",
        ".tox",
        ".nox",
    }
)
# A folder of these names is made by a build where one of the files beside it says how to build.
_OUTPUTS = frozenset({"build", "dist", "target", "out"})
_BUILT_BY = frozenset(
    {
        "pyproject.toml",
        "setup.py",
        "package.json",
        "Cargo.toml",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "CMakeLists.txt",
    }
)
# What virtual environments and caches are marked by (the second: https://bford.info/cachedir/).
_MARKS = ("pyvenv.cfg", "CACHEDIR.TAG")
_GITIGNORE = ".gitignore"
_MOST_NAMED = 3
PARQUET = ".parquet"
_GRAPH_TABLES = ("entities", "relationships", "communities", "community_reports")
_PREFIXES = ("", "create_final_")  # the second until version 0.5
_SUFFIXES = (PARQUET, ".jsonl")


@dataclass(frozen=True, slots=True)
class Skipped(Record):
    """A file, or a line of one as `path:line`, that could not be used."""

    path: str
    reason: str


class LeftOut:
    """Decides what of the folders of a run is read, and keeps what is not.

    Args:
        ignore: Whether anything is left out; else all is read.
    """

    def __init__(self, *, ignore: bool = True) -> None:
        self._ignore = ignore
        self._paths: list[str] = []

    def rules_of(self, folder: Path) -> FolderRules:
        """Return the rules for what lies below a folder that was named itself."""
        return FolderRules(folder, self._paths, ignore=self._ignore)

    def covers(self, path: str) -> bool:
        """Return whether a file, by its real path, was left out or lies in a folder that was."""
        return any(is_below(path, one) for one in self._paths)


@dataclass(frozen=True, slots=True)
class _Ignores:
    """The lines of a `.gitignore`, and the folder that it is about."""

    folder: str
    spec: GitIgnoreSpec


class FolderRules:
    """Decides what below a folder is read; the folder itself is, whatever is said of it.

    Args:
        folder: As it was named.
        paths: Takes the real paths of what is left out.
        ignore: Whether anything is.
    """

    def __init__(self, folder: Path, paths: list[str], *, ignore: bool) -> None:
        self._folder = folder
        self._paths = paths
        self._ignore = ignore
        self._specs: list[_Ignores] = _above(folder) if ignore else []
        self._tools: Counter[str] = Counter()
        self._ignored = 0

    def enter(self, parent: str, files: list[str]) -> None:
        """Read what the `.gitignore` of a folder says of what lies in it; parents come first."""
        self._specs = [one for one in self._specs if is_below(os.path.abspath(parent), one.folder)]
        if self._ignore and _GITIGNORE in files:
            self._specs += _read(os.path.abspath(parent))

    def keeps_folder(self, parent: str, name: str, beside: list[str]) -> bool:
        """Return whether a folder is read; `beside` are the files beside it.

        Of hidden folders those of tools alone are ever read.
        """
        path = os.path.join(parent, name)
        is_of_tools = _is_of_tools(path, name, beside)
        if name.startswith(".") and not is_of_tools:
            return False
        if not self._ignore:
            return True
        if is_of_tools:
            self._tools[name] += 1
        elif _is_ignored(path, self._specs, is_folder=True):
            self._ignored += 1
        else:
            return True
        self._paths.append(real_path(path))
        return False

    def keeps_file(self, parent: str, name: str) -> bool:
        """Return whether a file is read."""
        path = os.path.join(parent, name)
        if not self._specs or not _is_ignored(path, self._specs, is_folder=False):
            return True
        self._ignored += 1
        self._paths.append(real_path(path))
        return False

    def told(self) -> str | None:
        """Return in one line what was left out, None where nothing was."""
        parts = []
        if count := self._tools.total():
            named = ", ".join(name for name, _ in self._tools.most_common(_MOST_NAMED))
            parts.append(f"{counted(count, 'folder')} of tools ({named})")
        if self._ignored:
            parts.append(f"{counted(self._ignored, 'file or folder')} that .gitignore names")
        return f"left out {' and '.join(parts)}; {HOW_TO_TAKE_ALL}" if parts else None


def _is_of_tools(path: str, name: str, beside: list[str]) -> bool:
    is_output = name in _OUTPUTS and not _BUILT_BY.isdisjoint(beside)
    return (
        name in _OF_TOOLS
        or is_output
        or any(os.path.isfile(os.path.join(path, mark)) for mark in _MARKS)
    )


def _above(folder: Path) -> list[_Ignores]:
    """Return what the repository that a folder lies in ignores, from its root down.

    Nothing where the folder itself is ignored there: whoever names it wants it read.
    """
    whole = os.path.abspath(folder)
    above = [str(one) for one in Path(whole).parents]
    root = next((one for one in above if os.path.exists(os.path.join(one, ".git"))), None)
    if root is None or os.path.exists(os.path.join(whole, ".git")):
        return []
    inside = [one for one in reversed(above) if is_below(one, root)]
    specs = [spec for one in inside for spec in _read(one)]
    # git looks into no folder that is ignored itself, so each one on the way counts.
    on_the_way = [*inside[1:], whole]
    return [] if any(_is_ignored(one, specs, is_folder=True) for one in on_the_way) else specs


def _read(folder: str) -> list[_Ignores]:
    try:
        with open(os.path.join(folder, _GITIGNORE), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    return [_Ignores(folder, GitIgnoreSpec.from_lines(lines))]


def _is_ignored(path: str, specs: list[_Ignores], *, is_folder: bool) -> bool:
    """Return whether a path is ignored: the nearest file that says something of it decides."""
    whole = os.path.abspath(path)
    for one in reversed(specs):
        if is_below(whole, one.folder) and whole != one.folder:
            below = os.path.relpath(whole, one.folder).replace(os.sep, "/")
            decided = one.spec.check_file(f"{below}/" if is_folder else below).include
            if decided is not None:
                return decided
    return False


def is_index_folder(path: Path) -> bool:
    """Return whether a folder holds the tables of a graph, two of the four at least."""
    return sum(table_file(path, name) is not None for name in _GRAPH_TABLES) > 1


def table_file(folder: Path, name: str) -> Path | None:
    """Return the file of a table, None where there is none, or none that may be read."""
    paths = (folder / f"{prefix}{name}{suffix}" for suffix in _SUFFIXES for prefix in _PREFIXES)
    return next((path for path in paths if os.path.isfile(path)), None)
