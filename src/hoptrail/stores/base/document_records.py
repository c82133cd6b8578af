"""Documents, their passages and recognised pictures, and the files that they were read from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from hoptrail.stores.base.open_records import OpenRecords, iterating, reading, writing
from hoptrail.stores.records import document_table, scan_table, source_table
from hoptrail.stores.records.copies import write_filtered_copy


class DocumentRecords(OpenRecords):
    """The methods of `KnowledgeBase` for documents and their passages."""

    content_hashes = reading(document_table.content_hashes)
    document_records = reading(document_table.document_records)
    iter_chunks = iterating(document_table.iter_chunks)
    iter_table_chunks = iterating(document_table.iter_table_chunks)
    put_document = writing(document_table.put_document)
    rename_document = writing(document_table.rename_document)

    origins = reading(source_table.origins)
    origins_of = reading(source_table.origins_of)
    origins_elsewhere = reading(source_table.origins_elsewhere)
    documents_of = reading(source_table.documents_of)
    source_roots = reading(source_table.source_roots)
    put_source_roots = writing(source_table.put_source_roots)
    move_root = writing(source_table.move_root)
    file_stamps = reading(source_table.file_stamps)
    put_file_stamps = writing(source_table.put_file_stamps)

    known_scans = reading(scan_table.known_scans)
    scan = reading(scan_table.scan)
    put_scan = writing(scan_table.put_scan)
    document_scans = reading(scan_table.document_scans)
    shown_picture = reading(scan_table.shown_picture)
    forget_unused_scans = writing(scan_table.forget_unused_scans)

    def current_hashes(self, ids: Iterable[str]) -> dict[str, str]:
        """Return `Document.content_hash` by id of those documents that are there now.

        An id that a document once had stands for it.
        """
        with self._database.read(newest=True) as connection:
            return source_table.current_hashes(connection, list(ids))

    def missing_documents(self, ids: Iterable[str]) -> set[str]:
        """Return which of these ids no document has or once had."""
        with self._database.read(newest=True) as connection:
            return source_table.missing_documents(connection, ids)

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
