"""Knowledge of one run about files: names, versions, and former ids of their documents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hoptrail.indexing.former_documents import FormerDocuments
from hoptrail.indexing.loading.document_names import (
    CORPUS_SUFFIXES,
    DocumentNames,
    KnownFiles,
)
from hoptrail.indexing.loading.file_paths import is_below, is_missing
from hoptrail.indexing.loading.file_stamps import FileStamps
from hoptrail.indexing.loading.left_out import LeftOut
from hoptrail.indexing.options import IndexOptions
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.origin import Origin


class FileRun:
    """The files of one run over a knowledge base.

    Args:
        kb: The base.
        options: How to index.
        synced: The folder, a real path, whose files are to be in step with the base: those that
            are as they were are not read, and those that were moved keep what was read in them.
    """

    def __init__(
        self, kb: KnowledgeBase, options: IndexOptions, *, synced: str | None = None
    ) -> None:
        self._source = options.source
        self._known = KnownFiles.of(kb)
        self.names = DocumentNames(options.source, self._known)
        choices = f"{options.chunk_tokens}:{options.source or ''}"
        self.stamps = FileStamps({} if synced is None else kb.file_stamps(), choices)
        self.left_out = LeftOut(ignore=options.ignore)
        moved = [] if synced is None else self._missing_below(synced)
        self.former = FormerDocuments(kb, moved)

    def unchanged(self) -> list[Origin]:
        """Return the documents of the files that were not read, as they are as they were."""
        found = (one for path in self.stamps.unchanged for one in self._known.by_path.get(path, ()))
        return [one for one in found if self._source in (None, one.source)]

    def gone(self, kb: KnowledgeBase, folders: Iterable[str], outcomes: Iterable[str]) -> list[str]:
        """Return the documents of files that are not in these folders any more, by id.

        What lies in a folder but could not be read, or not as a whole, counts as there; what is
        left out of it by now does not.

        Args:
            kb: The base, after the run has stored its documents.
            folders: Real paths that the run has walked.
            outcomes: Ids of the documents that the run has met.
        """
        met, places = set(outcomes), list(folders)
        others = self._others(kb)
        gone: list[str] = []
        for origin in kb.origins():
            is_other = origin.source in others or self._source not in (None, origin.source)
            if is_other or origin.doc_id in met:
                continue
            path = self.former.place(origin)
            if path is None or not any(is_below(path, folder) for folder in places):
                continue
            is_gone = is_missing(path) or self.left_out.covers(path)
            if is_gone or self._is_read_corpus(path, origin):
                gone.append(origin.doc_id)
        return gone

    def _others(self, kb: KnowledgeBase) -> set[str]:
        """Return the sources that have the root of one of this run's, by another name."""
        used = self.names.used | {origin.source for origin in self.unchanged()}
        roots = kb.source_roots()
        own = {roots[name].root for name in used if name in roots}
        return {
            name
            for name, root in roots.items()
            if root.is_folder and root.root in own and name not in used
        }

    def _is_read_corpus(self, path: str, origin: Origin) -> bool:
        """Return whether a corpus was read to its end, and its documents are all known."""
        is_corpus = Path(path).suffix.lower() in CORPUS_SUFFIXES
        return is_corpus and path in self.stamps.whole and origin.source in self.names.used

    def _missing_below(self, folder: str) -> list[str]:
        return [
            origin.doc_id
            for path, found in self._known.by_path.items()
            if is_below(path, folder) and is_missing(path)
            for origin in found
            if self._source in (None, origin.source)
        ]
