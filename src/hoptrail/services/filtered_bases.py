"""Knowledge bases under a filter: built once per generation and filter, kept open and on disk."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, finalize

from hoptrail.core.document_filter import (
    DocumentFilter,
    check_fields,
    describe_fields,
    document_fields,
)
from hoptrail.core.errors import HoptrailError, InputError, KnowledgeBaseError
from hoptrail.core.settings import Settings
from hoptrail.core.types import JsonDict
from hoptrail.indexing.filtered_base import build_filtered_base
from hoptrail.stores.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from hoptrail.services.open_knowledge_bases import MakeTools, Tools

REPORTS_LEFT_OUT = (
    "community reports are left out under a filter: they tell of documents outside of it too"
)
_OPEN = 8  # filters of one knowledge base that a process keeps open
_ON_DISK = 32
_VERSION = 2  # of what `build_filtered_base` makes


@dataclass(slots=True)
class FilteredBase:
    """A knowledge base of the allowed documents, and the tools over it."""

    store: KnowledgeBase
    _made: tuple[MakeTools, Tools] | None = None

    def tools(self, make: MakeTools, settings: Settings) -> Tools:
        """Return the tools by name, made when first asked for as those of the whole base are."""
        if self._made is None or self._made[0] is not make:
            self._made = make, make(self.store, settings)
        return self._made[1]


def filtered_base(whole: KnowledgeBase, wanted: DocumentFilter) -> FilteredBase:
    """Return the knowledge base that the allowed documents make by themselves.

    The first question under a filter derives it, which takes about as long as deriving the graph of
    these documents when they were indexed, without model calls; later ones find it.

    Args:
        whole: Opened with its embedder, at its newest generation.
        wanted: The filter.

    Raises:
        UnknownNameError: If the filter asks for a field that no document has.
        InputError: If no document is allowed.
        KnowledgeBaseError: If documents are being indexed, or the base cannot be derived.
    """
    with _lock:
        bases = _bases.get(whole)
        if bases is None:
            bases = _bases[whole] = _FilteredBases()
    return bases.find(whole, wanted)


def check_filter(whole: KnowledgeBase, wanted: DocumentFilter) -> None:
    """Make sure that a filter allows documents, without deriving a base of them.

    Args:
        whole: The knowledge base.
        wanted: The filter.

    Raises:
        UnknownNameError: If the filter asks for a field that no document has.
        InputError: If no document is allowed.
    """
    if not _place(whole, wanted).is_dir():  # one that is there was checked when it was derived
        _allowed(whole, wanted)


def filter_fields(whole: KnowledgeBase) -> JsonDict:
    """Return by field that a filter may ask for how many `documents` have it, and some `values`."""
    return dict(describe_fields(map(document_fields, whole.document_records())))


class _FilteredBases:
    """The open filters of one knowledge base, those that were used last."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[int, str], FilteredBase] = OrderedDict()
        self._lock = threading.Lock()
        self._building = threading.Lock()

    def find(self, whole: KnowledgeBase, wanted: DocumentFilter) -> FilteredBase:
        """Return the base of a filter at the present generation; one is derived at a time."""
        found = self._known(whole, wanted)
        if found is not None:
            return found
        with self._building:
            found = self._known(whole, wanted)
            if found is not None:
                return found
            try:
                found = FilteredBase(_materialise(whole, wanted))
            except (OSError, HoptrailError):
                if not whole.refresh():
                    raise
                # A publication removed the folder meanwhile.
                found = FilteredBase(_materialise(whole, wanted))
            with self._lock:
                self._open[whole.generation, wanted.digest] = found
                while len(self._open) > _OPEN:
                    self._open.popitem(last=False)
            return found

    def _known(self, whole: KnowledgeBase, wanted: DocumentFilter) -> FilteredBase | None:
        key = whole.generation, wanted.digest
        with self._lock:
            if key in self._open:
                self._open.move_to_end(key)
            return self._open.get(key)


_lock = threading.Lock()
_bases: WeakKeyDictionary[KnowledgeBase, _FilteredBases] = WeakKeyDictionary()


def _place(whole: KnowledgeBase, wanted: DocumentFilter) -> Path:
    cache = whole.path / "cache"  # what lies there goes with its generation
    return cache / f"filter-{whole.generation}-{wanted.digest}-v{_VERSION}"


def _materialise(whole: KnowledgeBase, wanted: DocumentFilter) -> KnowledgeBase:
    place = _place(whole, wanted)
    cache = place.parent
    opened = _open_if_there(whole, place)
    if opened is not None:
        return opened
    doc_ids = _allowed(whole, wanted)
    if not whole.is_published:
        raise KnowledgeBaseError(
            "documents are being indexed, or an index run was stopped",
            hint="a filter needs the finished state: wait, or index again",
        )
    try:
        folder = Path(tempfile.mkdtemp(prefix=".building-filter-", dir=cache))
    except OSError:  # a base that can only be read
        folder = Path(tempfile.mkdtemp(prefix="hoptrail-filter-"))
        place = folder
    try:
        build_filtered_base(whole, folder, doc_ids)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if place != folder:
        _put(folder, place)
        _forget_oldest(cache)
    opened = _open_if_there(whole, place)
    if opened is None:
        raise KnowledgeBaseError(
            "the documents changed while the filter was applied", hint="ask again"
        )
    if place == folder:
        finalize(opened, shutil.rmtree, folder, ignore_errors=True)
    return opened


def _allowed(whole: KnowledgeBase, wanted: DocumentFilter) -> list[str]:
    fields = {one.id: document_fields(one) for one in whole.document_records()}
    check_fields(wanted, {name for known in fields.values() for name in known})
    allowed = [doc_id for doc_id, known in fields.items() if wanted.allows(known)]
    if not allowed:
        raise InputError(
            "no document matches the filter",
            hint="hoptrail info --fields, or Hoptrail.fields(), shows the fields and their values",
        )
    return allowed


def _open_if_there(whole: KnowledgeBase, place: Path) -> KnowledgeBase | None:
    if not place.is_dir():
        return None
    try:
        opened = KnowledgeBase.open(place, embedder=whole.embedder)
    except KnowledgeBaseError:
        return None
    with suppress(OSError):
        os.utime(place)
    opened.close_when_unused()
    return opened


def _put(built: Path, place: Path) -> None:
    """Give a finished folder its name; where another process was first, its own counts."""
    try:
        os.chmod(built, 0o755)
        built.rename(place)
    except OSError:
        shutil.rmtree(built, ignore_errors=True)


def _forget_oldest(cache: Path) -> None:
    """Remove the filters that were not used for longest."""
    found = [path for path in cache.glob("filter-*") if path.is_dir()]
    with suppress(OSError):
        found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in found[_ON_DISK:]:
            shutil.rmtree(path, ignore_errors=True)
