"""Documents, their passages, where they came from, and the files that they were read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hoptrail.core.types import (
    Chunk,
    Document,
)
from hoptrail.stores.base.open_records import OpenRecords
from hoptrail.stores.records import (
    document_table,
    source_table,
)
from hoptrail.stores.records.copies import write_filtered_copy
from hoptrail.stores.records.document_table import PutResult
from hoptrail.stores.records.source_table import Origin, SourceRoot


class DocumentRecords(OpenRecords):
    """The methods of `KnowledgeBase` for documents and their passages."""

    def content_hashes(self) -> dict[str, str]:
        """Return `Document.content_hash` by document id, in order of ids."""
        with self._database.read() as connection:
            return document_table.content_hashes(connection)

    def current_hashes(self, ids: Iterable[str]) -> dict[str, str]:
        """Return `Document.content_hash` by id of those documents that are there now.

        An id that a document once had stands for it.
        """
        with self._database.read(newest=True) as connection:
            return source_table.current_hashes(connection, list(ids))

    def iter_chunks(self, doc_ids: Iterable[str] | None = None) -> Iterator[Chunk]:
        """Yield the chunks of some documents, or all, by document and place in it.

        They are those of the present state, published or not.
        """
        with self._database.read() as connection:
            yield from document_table.iter_chunks(connection, doc_ids)

    def iter_table_chunks(self) -> Iterator[Chunk]:
        """Yield the chunks that tell rows of tables, by document and place in it."""
        with self._database.read() as connection:
            yield from document_table.iter_table_chunks(connection)

    def document_records(self) -> list[Document]:
        """Return all documents by id, published or not, without their texts."""
        with self._database.read() as connection:
            return document_table.document_records(connection)

    def copy_documents(self, folder: Path, doc_ids: Sequence[str]) -> None:
        """Write a knowledge base of these documents and what was read in them.

        Its graph and vectors are to be derived, and it is to be published.

        Args:
            folder: An empty folder.
            doc_ids: Documents of this base.
        """
        name = self.name
        with self._database.read() as connection:
            write_filtered_copy(connection, folder, doc_ids, name)

    def put_document(self, document: Document, chunks: Sequence[Chunk]) -> PutResult:
        """Store a document with exactly these chunks; what stays keeps its extractions."""
        with self._database.write() as connection:
            return document_table.put_document(connection, document, chunks)

    def delete_documents(self, ids: Iterable[str], *, derived: bool = False) -> None:
        """Delete documents with all that was read in them, and community reports that rest on them.

        The graph is derived anew by others.

        Readers miss their text from the commit on, so publish in the same `transaction`.

        Args:
            ids: Their ids.
            derived: Whether the graph was derived without them within this `transaction`, which is
                to publish it too: their text is gone from the file only then.

        Raises:
            UnknownNameError: If one is not there; then nothing is deleted.
        """
        with self._database.write() as connection:
            document_table.delete_documents(connection, ids, derived=derived)
            source_table.forget_unused(connection)

    def rename_document(self, old: str, new: str) -> None:
        """Give a document another id, with all that was read in it; `new` must not be there yet."""
        with self._database.write() as connection:
            document_table.rename_document(connection, old, new)

    def missing_documents(self, ids: Iterable[str]) -> set[str]:
        """Return which of these ids no document has or once had."""
        with self._database.read(newest=True) as connection:
            return source_table.missing_documents(connection, ids)

    def origins(self) -> list[Origin]:
        """Return the file or address that each document was read from, by id."""
        with self._database.read() as connection:
            return source_table.origins(connection)

    def origins_of(self, doc_ids: Iterable[str]) -> list[Origin]:
        """Return the file or address that each of these documents was read from, by id."""
        with self._database.read() as connection:
            return source_table.origins_of(connection, doc_ids)

    def origins_elsewhere(self) -> list[Origin]:
        """Return the origins that are addresses, or paths as they were typed, by document id."""
        with self._database.read() as connection:
            return source_table.origins_elsewhere(connection)

    def documents_of(self, source: str) -> list[str]:
        """Return the ids of the documents of a source."""
        with self._database.read() as connection:
            return source_table.documents_of(connection, source)

    def source_roots(self) -> dict[str, SourceRoot]:
        """Return where the files of each source lie, by the source's name."""
        with self._database.read() as connection:
            return source_table.source_roots(connection)

    def put_source_roots(self, roots: Iterable[SourceRoot]) -> None:
        """Record where the files of sources lie."""
        with self._database.write() as connection:
            source_table.put_source_roots(connection, roots)

    def move_root(self, old: str, new: str) -> None:
        """Note that a folder, an absolute path, lies elsewhere now with all its files."""
        with self._database.write() as connection:
            source_table.move_root(connection, old, new)

    def file_stamps(self) -> dict[str, str]:
        """Return what told the version of each file that was read as a whole, by path."""
        with self._database.read() as connection:
            return source_table.file_stamps(connection)

    def put_file_stamps(self, stamps: Mapping[str, str]) -> None:
        """Record the versions of files, by path."""
        with self._database.write() as connection:
            source_table.put_file_stamps(connection, stamps)
