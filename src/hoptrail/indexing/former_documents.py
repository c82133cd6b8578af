"""Finds documents that the base holds under another id: of an older format, or of moved files.

Up to format 6 the id of a loose file was its path below the working directory, which the base does
not know. A document that is found again keeps all that was read in it, and paid for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from hoptrail.core.types import Document
from hoptrail.indexing.loading.document_names import is_loose_name
from hoptrail.indexing.loading.file_paths import real_path
from hoptrail.indexing.loading.web_addresses import is_address
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.origin import Origin


class FormerDocuments:
    """Documents of a base that a file may be found to be.

    Args:
        kb: The base.
        moved: Ids of documents whose files are gone, and may lie elsewhere now.
    """

    def __init__(self, kb: KnowledgeBase, moved: Iterable[str] = ()) -> None:
        origins = kb.origins()
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
    return origin.path is None and not is_address(origin.uri)
