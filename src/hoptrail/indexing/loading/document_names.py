"""The ids of documents that come from files, whatever the working directory is.

A file that the base holds keeps its id. Another one belongs to the nearest folder above it that the
base knows as the root of a source. Else its id is `<source>/<path below the root>`, where the root
is the folder that was named, or the one around a file that was named, and the source is that
folder's name. A source has one root: the same name for another one is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hoptrail.core.errors import InputError, SourceRootError
from hoptrail.indexing.loading.feeds.feed import Feed
from hoptrail.indexing.loading.files import is_below, plain, real_path
from hoptrail.indexing.loading.web_addresses import is_address
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.source_table import Origin, SourceRoot, file_uri, path_of

MAILBOX_SUFFIX = ".mbox"
CORPUS_SUFFIXES = frozenset({".jsonl", ".ndjson", MAILBOX_SUFFIX})


@dataclass(frozen=True, slots=True)
class DocumentName:
    """The id of a file's document: its source, and what follows; for a corpus the source alone."""

    source: str
    local_id: str

    @property
    def id(self) -> str:
        """The whole id."""
        return f"{self.source}/{self.local_id}"


@dataclass(frozen=True)
class KnownFiles:
    """Files as a knowledge base holds them: roots by source, and the documents of each place.

    A place is a path, or the address of what was no file of this machine. Places are read when they
    are first asked for: one that brings a corpus of a named source never asks.

    Attributes:
        roots: By source.
        read: Returns where all documents come from.
    """

    roots: Mapping[str, SourceRoot] = field(default_factory=dict[str, SourceRoot])
    read: Callable[[], Sequence[Origin]] = tuple

    @classmethod
    def of(cls, kb: KnowledgeBase) -> KnownFiles:
        """Return what a knowledge base holds, which is to stay open."""
        return cls(kb.source_roots(), kb.origins)

    @property
    def by_path(self) -> Mapping[str, Sequence[Origin]]:
        """The documents of each place."""
        return self._places[0]

    @property
    def paths(self) -> Mapping[str, str]:
        """Path by document id; of a base of an older format as it was typed."""
        return self._places[1]

    @cached_property
    def _places(self) -> tuple[dict[str, list[Origin]], dict[str, str]]:
        by_path: dict[str, list[Origin]] = {}
        paths: dict[str, str] = {}
        for origin in self.read():
            path = origin.path
            if path is not None:
                by_path.setdefault(path, []).append(origin)
                paths[origin.doc_id] = path
            elif is_loose_name(origin):
                paths[origin.doc_id] = real_path(origin.uri)
            else:
                by_path.setdefault(origin.uri, []).append(origin)
        return by_path, paths


def is_loose_name(origin: Origin) -> bool:
    """Return whether a file's id is of the form that it had up to format 6.

    It was the path below the working directory then, and that document's source as well.
    """
    return origin.source == origin.doc_id and origin.path is None and not is_address(origin.uri)


class DocumentNames:
    """Names the documents of one run.

    Args:
        source: First part of all ids; None lets each file's place decide.
        known: What the base holds already.
    """

    def __init__(self, source: str | None = None, known: KnownFiles | None = None) -> None:
        self._source = source
        self._known = known or KnownFiles()
        self._roots = dict(self._known.roots)
        self._folders = self._folders_of_roots()
        self.used: set[str] = set()
        """Names of the sources that folders and documents were named in."""

    def check(self, inputs: Iterable[object]) -> None:
        """Make sure that no file, folder or feed among the inputs would give a source another root.

        Raises:
            SourceRootError: If one would.
        """
        for item in inputs:
            if isinstance(item, Feed):
                self.feed(item)
            elif isinstance(item, str | Path) and item != "-" and not is_address(str(item)):
                path = real_path(item)
                if os.path.isdir(path):
                    self.folder(path)
                elif _is_corpus(path):
                    self.corpus(path)
                else:
                    self.file(path)

    def roots_of(self, sources: Iterable[str]) -> list[SourceRoot]:
        """Return the roots of sources that the base does not have yet."""
        found = [self._roots[name] for name in sorted(sources) if name in self._roots]
        return [root for root in found if self._known.roots.get(root.name) != root]

    def folder(self, path: str) -> SourceRoot:
        """Return the source that a named folder, a real path, belongs to, with its root.

        Raises:
            SourceRootError: If the source has another root.
        """
        root = self._root_of_folder(path)
        self._roots[root.name] = root
        self._folders = self._folders_of_roots()
        self.used.add(root.name)
        return root

    def feed(self, feed: Feed) -> SourceRoot:
        """Return the source of a feed, with what it reads as its root.

        Raises:
            SourceRootError: If the source has another root.
        """
        name = plain(self._source or feed.name)
        known = self._roots.get(name)
        read = feed.root if known is None else feed.go_on(known.root)
        root = SourceRoot(name, path_of(file_uri(read)), is_folder=False)
        if known is not None and known != root:
            raise SourceRootError(
                f"the source {root.name} is {known.root} in this knowledge base, and {root.root} "
                "would be a second one of that name",
                hint="give it a name of its own with --source NAME, or source=NAME, or, if it is "
                "the same one, read another way now, tell sync so with --moved, or moved=True",
            )
        self._roots[root.name] = root
        self.used.add(root.name)
        return root

    def below(self, path: str, folder: SourceRoot) -> DocumentName:
        """Return the name of a file in a folder that was named.

        Raises:
            SourceRootError: If another file has that id.
        """
        if self._source is None:
            known = self._kept(path)
            if known is not None:
                return known
            folder = self._nearest(path) or folder
        return self._checked(_name(path, folder), path)

    def file(self, path: str) -> DocumentName:
        """Return the name of a file, a real path, that was named itself.

        Raises:
            SourceRootError: If another file has that id, or the source has another root.
        """
        around = os.path.dirname(path)
        name = self._source or _folder_name(around)
        known = self._roots.get(name)
        if self._source is None:
            kept = self._kept(path)
            if kept is not None:
                return kept
            nearest = self._nearest(path)
            if nearest is not None:
                return self._checked(_name(path, nearest), path)
        if known is not None and known.is_folder and is_below(path, known.root):
            return self._checked(_name(path, known), path)
        if known is not None and known.root != around:
            raise second_root(name, known.root, around)
        if self._source is not None and known is None:  # files of many folders may be in it
            return self._checked(DocumentName(name, os.path.basename(path)), path)
        root = known or SourceRoot(name, around, is_folder=False)
        self._roots[name] = root
        return self._checked(_name(path, root), path)

    def corpus(self, path: str, folder: SourceRoot | None = None) -> DocumentName:
        """Return the name, without the documents' own ids, of a corpus file, a real path.

        Where another file has its name, one that was found below a folder is called by its path
        there: mail programs keep many an "Inbox".

        Args:
            path: The file.
            folder: The root that it was found below, None for a file that was named itself.

        Raises:
            SourceRootError: If its name is that of a source with another root.
        """
        if self._source is None:
            kept = self._kept(path)
            if kept is not None:
                return DocumentName(kept.source, "")
        name = self._source or plain(Path(path).stem)
        known = self._roots.get(name)
        if known is not None and known.is_folder and is_below(path, known.root):
            return self._used(DocumentName(name, ""))
        if self._source is not None and not (known and known.is_folder):
            return self._used(DocumentName(name, ""))
        if known is not None and known.root != path and folder is not None:
            name = _name(path, self._nearest(path) or folder).id
            known = self._roots.get(name)
        if known is not None and known.root != path:
            raise second_root(name, known.root, path)
        self._roots[name] = SourceRoot(name, path, is_folder=False)
        return self._used(DocumentName(name, ""))

    def _root_of_folder(self, path: str) -> SourceRoot:
        name = self._source or _folder_name(path)
        if self._source is None:
            nearest = self._nearest(path)
            if nearest is not None:
                return nearest
        known = self._roots.get(name)
        if known is None or known.root == path:
            return SourceRoot(name, path, is_folder=True)
        if known.is_folder and is_below(path, known.root):
            return known
        raise second_root(name, known.root, path)

    def _nearest(self, path: str) -> SourceRoot | None:
        """Return the source of the nearest folder at or above a path that is a root.

        Raises:
            InputError: If that folder is the root of several sources, none of its own name.
        """
        place = path
        while True:
            names = self._folders.get(place, [])
            own = _folder_name(place)
            if len(names) > 1 and own not in names:
                raise InputError(
                    f"{place} is in this knowledge base as {' and as '.join(names)}",
                    hint="choose one with --source NAME, or source=NAME",
                )
            if names:
                return self._roots[own if own in names else names[0]]
            if place == os.path.dirname(place):
                return None
            place = os.path.dirname(place)

    def _kept(self, path: str) -> DocumentName | None:
        """Return the name under which the base holds a file."""
        found = self._known.by_path.get(path, ())
        if not found:
            return None
        nearest = self._nearest(path)
        by_source = {origin.source: origin for origin in found}
        origin = by_source.get(nearest.name, found[0]) if nearest else found[0]
        name = DocumentName(origin.source, origin.doc_id.removeprefix(f"{origin.source}/"))
        return self._used(name)

    def _checked(self, name: DocumentName, path: str) -> DocumentName:
        """Return the name, unless it is that of another file which is still there."""
        other = self._known.paths.get(name.id)
        if other is not None and other != path and os.path.exists(other):
            raise second_root(name.source, other, path)
        return self._used(name)

    def _used(self, name: DocumentName) -> DocumentName:
        self.used.add(name.source)
        return name

    def _folders_of_roots(self) -> dict[str, list[str]]:
        folders: dict[str, list[str]] = {}
        for root in self._roots.values():
            if root.is_folder:
                folders.setdefault(root.root, []).append(root.name)
        return folders


def _is_corpus(path: str) -> bool:
    return Path(path).suffix.lower() in CORPUS_SUFFIXES


def _folder_name(path: str) -> str:
    return plain(os.path.basename(path)) or "files"


def _name(path: str, root: SourceRoot) -> DocumentName:
    return DocumentName(root.name, Path(os.path.relpath(path, root.root)).as_posix())


def second_root(name: str, known: str, given: str) -> SourceRootError:
    """Return the error of a source that would have two roots, which names the way out.

    Args:
        name: The source.
        known: Its root.
        given: The other one.
    """
    hint = "give it a name of its own with --source NAME, or source=NAME"
    if os.path.isdir(given) and not os.path.exists(known):
        hint += ", or, if the folder was moved, tell sync so with --moved, or moved=True"
    return SourceRootError(
        f"the source {name} is {known} in this knowledge base, and {given} would be a second one "
        "of that name",
        hint=hint,
    )
