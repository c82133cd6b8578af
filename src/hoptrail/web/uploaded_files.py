"""Which documents came from an uploaded file, and what of it could not be read."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path

from hoptrail.indexing.loading.document_names import CORPUS_SUFFIXES, DocumentNames, KnownFiles
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import Skipped, plain
from hoptrail.stores.knowledge_base import KnowledgeBase

_SAME_FOLDERS = 3  # bases/NAME/uploads


class UploadedFiles:
    """Uploaded files as a knowledge base holds them.

    Args:
        kb: The base, which is to stay open.
    """

    def __init__(self, kb: KnowledgeBase) -> None:
        self._known = KnownFiles.of(kb)

    def documents(self, path: Path) -> list[str]:
        """Return the ids of all documents of a file, those of an earlier one of its name too."""
        return [origin.doc_id for origin in self._known.by_path.get(str(path), ())]

    def made_of(self, path: Path, skipped: Iterable[Skipped]) -> list[str]:
        """Return the ids of the documents that a run has made of a file, or found in it again.

        Args:
            path: The file.
            skipped: What the run could not use of it.
        """
        documents = self.documents(path)
        if path.suffix.lower() in CORPUS_SUFFIXES:
            held = self._ids_in(path) if documents else set()
            return [doc_id for doc_id in documents if doc_id in held]
        is_unread = any(one.path == plain(str(path)) for one in skipped)
        return [] if is_unread else documents

    def by_file(
        self, skipped: Iterable[Skipped], paths: Sequence[Path]
    ) -> dict[Path, list[Skipped]]:
        """Return what a run could not use of each of its files."""
        found: dict[Path, list[Skipped]] = {path: [] for path in paths}
        owners = {doc_id: path for path in paths for doc_id in self.documents(path)}
        for one in skipped:
            within = [path for path in paths if _is_in(one.path, plain(str(path)))]
            # The name of one file may begin as that of another does.
            owner = max(within, key=lambda path: len(path.name), default=owners.get(one.path))
            if owner is not None:
                found[owner].append(one)
        return found

    def emptied(self, leaving: Iterable[str], folder: Path) -> list[Path]:
        """Return the files of a folder of uploads that have no document once these are deleted.

        Args:
            leaving: Ids of documents.
            folder: The folder; files count as in it that were read before it was moved.
        """
        gone = set(leaving)
        tail = os.sep + os.path.join(*folder.parts[-_SAME_FOLDERS:])
        return [
            folder / os.path.basename(path)
            for path, origins in self._known.by_path.items()
            if os.path.isabs(path)
            and os.path.dirname(path).endswith(tail)
            and gone.issuperset(origin.doc_id for origin in origins)
        ]

    def _ids_in(self, path: Path) -> set[str]:
        """Return the ids of what a corpus file holds, whose documents are not read for it."""
        ids: set[str] = set()

        def note(doc_id: str) -> bool:
            ids.add(doc_id)
            return False

        names = DocumentNames(known=self._known)
        deque(load_documents([path], names=names, wanted=note), maxlen=0)
        return ids


def _is_in(place: str, path: str) -> bool:
    """Return whether a skipped place is a file, a line of it, or another part of it."""
    return place == path or place.startswith((f"{path}:", f"{path}, "))
