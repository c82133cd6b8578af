"""Knowledge of one run about files: names, versions, and former ids of their documents.

Finds documents that the base holds under another id: of an older format, or of moved files.

Up to format 6 the id of a loose file was its path below the working directory, which the base does
not know. A document that is found again keeps all that was read in it, and paid for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from hoptrail.core.types import Document
from hoptrail.indexing.loading.document_names import (
    CORPUS_SUFFIXES,
    DocumentNames,
    KnownFiles,
    is_loose_name,
)
from hoptrail.indexing.loading.files import FileStamps, LeftOut, is_below, is_missing, real_path
from hoptrail.indexing.loading.scans import reading_of
from hoptrail.indexing.loading.web_addresses import is_address
from hoptrail.indexing.options import IndexOptions
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.source_table import Origin


class FileRun:
    """The files of one run over a knowledge base.

    Args:
        kb: The base.
        options: How to index.
        synced: The folder, a real path, whose files are to be in step with the base: those that
            are as they were are not read, and those that were moved keep what was read in them.
        known: Files whose documents have names already; those of the base where None.
        goes_on: Whether files that the base has, and that are as they were, are not read.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        options: IndexOptions,
        *,
        synced: str | None = None,
        known: KnownFiles | None = None,
        goes_on: bool = False,
    ) -> None:
        self._source = options.source
        self._known = known or KnownFiles.of(kb)
        self.names = DocumentNames(options.source, self._known)
        pictures = reading_of(options.ocr)
        choices = f"{options.chunk_tokens}:{options.source or ''}:{pictures}"
        is_read = goes_on or synced is not None
        self.stamps = FileStamps(kb.file_stamps() if is_read else {}, choices)
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
        if not places:
            return []
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


class FormerDocuments:
    """Documents of a base that a file may be found to be.

    Args:
        kb: The base.
        moved: Ids of documents whose files are gone, and may lie elsewhere now.
    """

    def __init__(self, kb: KnowledgeBase, moved: Iterable[str] = ()) -> None:
        origins = kb.origins_elsewhere()
        self._loose = {origin.doc_id: origin for origin in origins if is_loose_name(origin)}
        # Corpora of older formats have a path as it was typed, too.
        self._is_old = any(_is_typed(origin) for origin in origins)
        self._hashes = kb.content_hashes() if self._loose or moved else {}
        self._moved: dict[str, list[str]] = {}
        for doc_id in moved:
            self._moved.setdefault(self._hashes[doc_id], []).append(doc_id)
        self._bases: set[str] = set()
        self._corpora: set[str] = set()

    def find(self, document: Document) -> str | None:
        """Return the id that the base has for a file's document, where that is another one."""
        path = Origin(document.id, document.uri or "", document.source).path
        if path is None:
            return None
        self._corpora.add(path)
        if not self._hashes or document.id in self._hashes:
            return None
        return self._loose_name(path, document) or self._moved_from(document)

    def place(self, origin: Origin) -> str | None:
        """Return the path of a document's file, None where that is not known for certain."""
        if origin.path is not None or is_address(origin.uri) or not self._is_old:
            return origin.path
        if os.path.isabs(origin.uri):
            return real_path(origin.uri)
        if origin.doc_id in self._loose:
            # Of several working directories, the one counts in which the file is still there.
            places = sorted(f"{base}/{origin.doc_id}" for base in self._bases)
            return next(filter(os.path.exists, places), places[0] if places else None)
        typed = os.path.normpath(origin.uri)
        return next((path for path in self._corpora if path.endswith(f"/{typed}")), None)

    def _loose_name(self, path: str, document: Document) -> str | None:
        parts = path.split("/")
        for start in range(1, len(parts)):
            former = self._loose.get("/".join(parts[start:]))
            if former is None or former.doc_id not in self._hashes:
                continue
            base = "/".join(parts[:start])
            is_same = self._hashes[former.doc_id] == document.content_hash
            if is_same or base in self._bases or real_path(former.uri) == path:
                if is_same or os.path.isabs(former.uri):
                    self._bases.add(base)
                del self._hashes[former.doc_id]
                return former.doc_id
        return None

    def _moved_from(self, document: Document) -> str | None:
        places = self._moved.get(document.content_hash)
        return places.pop(0) if places else None


def _is_typed(origin: Origin) -> bool:
    return origin.path is None and "://" not in origin.uri
