"""A folder, or a feed, and its documents in step: what is new, changed or gone."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hoptrail.core.errors import InputError
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.settings import Price
from hoptrail.core.text import counted
from hoptrail.core.types import Record
from hoptrail.indexing.extraction.stage import ExtractionGuide
from hoptrail.indexing.file_run import FileRun
from hoptrail.indexing.forecast import Forecast, forecast_chunks, left_without_vectors
from hoptrail.indexing.loading.document_names import second_root
from hoptrail.indexing.loading.feeds.feed import Feed
from hoptrail.indexing.loading.files import (
    Skipped,
    is_below,
    is_index_folder,
    is_missing,
    real_path,
)
from hoptrail.indexing.loading.scans.reading import Scans
from hoptrail.indexing.loading.web_addresses import scheme_of
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.report import MovedDocument, RunLog
from hoptrail.indexing.storing import store_documents
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.source_table import SourceRoot


@dataclass(frozen=True, slots=True)
class SyncPlan(Record):
    """Outcome that a sync would have: ids of documents by what becomes of them."""

    added: tuple[str, ...]
    replaced: tuple[str, ...]
    deleted: tuple[str, ...]
    moved: tuple[MovedDocument, ...]
    unchanged: int
    skipped: tuple[Skipped, ...]
    forecast: Forecast


class Synced(Protocol):
    """Something that is to be in step with its documents."""

    options: IndexOptions

    def store(
        self, kb: KnowledgeBase, log: RunLog, progress: Progress, *, scans: Scans | None = None
    ) -> list[str]:
        """Store what is new and changed, and return the documents that are to be deleted."""
        ...


class SyncedFolder:
    """A folder that is to be in step with its documents.

    Args:
        folder: Its path.
        options: How to index.
        allow_empty: Whether all its documents may go.
        moved: Whether the source of its name lies here now.

    Raises:
        InputError: If it is missing, no folder, or an index of another program.
    """

    def __init__(
        self, folder: str | Path, options: IndexOptions, *, allow_empty: bool, moved: bool
    ) -> None:
        self.path = real_path(folder)
        self.options = options
        self._named = Path(folder)
        self._allow_empty = allow_empty
        self._moved = moved
        if not os.path.isdir(self.path):
            if scheme := scheme_of(str(folder)):
                raise InputError(
                    f"{folder}: what begins with {scheme} cannot be synced; nothing was changed",
                    hint="a web site is synced with --crawl URL, an object store by its address, "
                    "such as s3://bucket/folder; other file systems of fsspec are a store of the "
                    "settings, [sources.NAME]",
                )
            kind = "is not a folder" if os.path.exists(self.path) else "no such folder"
            raise InputError(
                f"{folder}: {kind}; nothing was changed",
                hint="check the path, and that its disk is mounted; sources of the settings "
                "have a section [sources.NAME]; files are read by index, and documents are "
                "deleted by delete",
            )
        if is_index_folder(Path(self.path)):
            raise InputError(
                f"{folder} is an index of Microsoft GraphRAG", hint="import it with: hoptrail index"
            )

    def store(
        self, kb: KnowledgeBase, log: RunLog, progress: Progress, *, scans: Scans | None = None
    ) -> list[str]:
        """Store what is new and changed, and return the documents that are to be deleted.

        Pictures are recognised by `scans`, or as the options say.

        Raises:
            InputError: If no file can be read, so that all would be deleted.
            SourceRootError: If the source has another root.
        """
        if self._moved:
            self._move(kb)
        files = FileRun(kb, self.options, synced=self.path)
        store_documents(kb, [self._named], self.options, log, progress, files=files, scans=scans)
        gone = files.gone(kb, [self.path], log.outcomes)
        if gone and not log.outcomes and not self._allow_empty:
            raise InputError(
                f"{self.path} holds no file that can be read, and the knowledge base has "
                f"{counted(len(gone), 'document')} of it: nothing was deleted",
                hint="check that its disk is mounted; --allow-empty, or allow_empty=True, deletes "
                "them all",
            )
        return gone

    def _move(self, kb: KnowledgeBase) -> None:
        """Let the source of the folder's name lie here.

        Raises:
            InputError: If there is no such source.
            SourceRootError: If its root is still there, so that this is another folder.
        """
        name = self.options.source or os.path.basename(self.path)
        root = _moved_root(kb, name, "folder")
        is_linked = real_path(root.root) == self.path  # a link was left in the old place
        if not is_linked and os.path.exists(root.root):
            raise second_root(name, root.root, self.path)
        kb.move_root(root.root, self.path)


class SyncedFeed:
    """A feed that is to be in step with its documents.

    Args:
        feed: The feed.
        options: How to index.
        allow_empty: Whether all its documents may go.
        moved: Whether its source is read another way now.
    """

    def __init__(
        self, feed: Feed, options: IndexOptions, *, allow_empty: bool, moved: bool
    ) -> None:
        self.options = options
        self._feed = feed
        self._allow_empty = allow_empty
        self._moved = moved

    def store(
        self, kb: KnowledgeBase, log: RunLog, progress: Progress, *, scans: Scans | None = None
    ) -> list[str]:
        """Store what is new and changed, and return the documents that are to be deleted.

        These are none where the feed was not read to its end; a note of the log says so then.

        Raises:
            InputError: If it gives no document that it gave before, as with other arguments, so
                that all would be deleted.
            SourceRootError: If the source has another root.
        """
        name = self.options.source or self._feed.name
        if self._moved:
            self._move(kb, name)
        former = kb.documents_of(name)
        files = FileRun(kb, self.options, goes_on=True)
        store_documents(kb, [self._feed], self.options, log, progress, files=files, scans=scans)
        run = self._feed.run
        met = log.outcomes.keys() | run.present
        gone = [doc_id for doc_id in kb.documents_of(name) if doc_id not in met]
        if gone and run.stopped_by is not None:
            log.notes.append(
                f"documents of {name} that did not come are kept ({len(gone):,}), for it was not "
                f"read to its end: {run.stopped_by}"
            )
            return []
        if gone and not met and not self._allow_empty:
            raise InputError(
                f"{name} gives no document, and the knowledge base has {len(gone):,} of it: "
                "nothing was deleted",
                hint="check that what it reads is there; --allow-empty, or allow_empty=True, "
                "deletes them all",
            )
        if gone and gone == former and not (self._moved or self._allow_empty):
            # They would go with the next run, in which those of now come again.
            kb.delete_documents(log.outcomes)
            raise InputError(
                f"none of the {len(former):,} documents of {name} came again: nothing was changed",
                hint="read what is given now under another --source NAME (source=NAME); --moved, "
                "or moved=True, says that it takes their place",
            )
        return gone

    def _move(self, kb: KnowledgeBase, name: str) -> None:
        """Let the source be what the feed reads.

        Raises:
            InputError: If there is no such source.
            SourceRootError: If it is a folder that is still there.
        """
        known = _moved_root(kb, name, "source")
        if known.is_folder and os.path.exists(known.root):
            raise second_root(name, known.root, self._feed.root)
        kb.put_source_roots([SourceRoot(name, self._feed.root, is_folder=False)])


def _moved_root(kb: KnowledgeBase, name: str, kind: str) -> SourceRoot:
    """Return the root that a source had before it was moved.

    Raises:
        InputError: If there is no such source.
    """
    root = kb.source_roots().get(name)
    if root is None:
        raise InputError(
            f"this knowledge base has no {kind} of the name {name}",
            hint="leave --moved (moved=True) out, or name the source with --source NAME "
            "(source=NAME)",
        )
    return root


def plan_sync(
    kb: KnowledgeBase,
    synced: Synced,
    guide: ExtractionGuide | None,
    *,
    remote_embedder: str | None,
    prices: Mapping[str, Price],
) -> SyncPlan:
    """Return what bringing it in step would do and take, tried out on a copy of the base."""
    log = RunLog()
    with kb.private_copy() as copy:
        options = synced.options
        scans = Scans(options.ocr, shelf=copy, max_pages=options.ocr_pages, is_forecast=True)
        deleted = synced.store(copy, log, NoProgress(), scans=scans)
        chunks = [chunk for chunk in copy.iter_chunks() if chunk.doc_id in log.outcomes]
        read = {id_ for id_, outcome in log.outcomes.items() if outcome in ("added", "replaced")}
        gone = {*deleted, *read}
        known = {chunk.id for chunk in kb.iter_chunks()}
        new = [chunk for chunk in chunks if chunk.doc_id in read and chunk.id not in known]
        forecast = forecast_chunks(
            chunks,
            new,
            synced.options,
            guide,
            copy,
            left=[chunk for chunk in left_without_vectors(kb) if chunk.doc_id not in gone],
            remote_embedder=remote_embedder,
            prices=prices,
            lacking=kb.texts_without_vectors() if remote_embedder else (),
            scans=scans,
        )
    ids = {
        kind: tuple(sorted(id_ for id_, outcome in log.outcomes.items() if outcome == kind))
        for kind in ("added", "replaced", "unchanged")
    }
    return SyncPlan(
        ids["added"],
        ids["replaced"],
        tuple(deleted),
        log.moved(),
        len(ids["unchanged"]),
        tuple(log.skipped),
        forecast,
    )


def brought_back(kb: KnowledgeBase, doc_ids: Collection[str]) -> list[str]:
    """Return a line for each folder of the base that still holds files of these documents."""
    there = [
        one.path
        for one in kb.origins_of(doc_ids)
        if one.path is not None and not is_missing(one.path)
    ]
    lines: list[str] = []
    for root in kb.source_roots().values():
        if root.is_folder and any(is_below(path, root.root) for path in there):
            lines.append(
                f"{root.root} still holds files of what was deleted: the next sync or index of "
                "this folder adds it again; move the files away first"
            )
    return lines


def walked(inputs: Iterable[object]) -> list[str]:
    """Return the real paths of the folders among inputs."""
    paths = (real_path(item) for item in inputs if isinstance(item, str | Path))
    return [path for path in paths if os.path.isdir(path)]
