"""Recognised pictures of a knowledge base: what was read in them, and what documents show of it."""

from __future__ import annotations

from hoptrail.core.types.scan import ScannedPage
from hoptrail.stores.base.open_records import OpenRecords
from hoptrail.stores.records import scan_table


class ScanRecords(OpenRecords):
    """The methods of `KnowledgeBase` for recognised pictures."""

    def known_scans(self, recogniser: str) -> set[str]:
        """Return the hashes of the pictures that a recogniser has read."""
        with self._database.read() as connection:
            return scan_table.known_scans(connection, recogniser)

    def scan(self, picture: str) -> str | None:
        """Return what was recognised in a picture, as it was put; None where nobody read it."""
        with self._database.read() as connection:
            return scan_table.scan(connection, picture)

    def put_scan(self, picture: str, recogniser: str, page: str, shown: bytes) -> None:
        """Keep what was recognised in a picture, and the picture as it is shown, WebP."""
        with self._database.write() as connection:
            scan_table.put_scan(connection, picture, recogniser, page, shown)

    def document_scans(self, doc_id: str, number: int | None = None) -> list[ScannedPage]:
        """Return the recognised pages of a document in order, or the one of a number."""
        with self._database.read() as connection:
            return scan_table.document_scans(connection, doc_id, number)

    def shown_picture(self, picture: str) -> bytes | None:
        """Return a picture as it is shown, WebP, by its hash; None where it was not kept."""
        with self._database.read() as connection:
            return scan_table.shown_picture(connection, picture)

    def forget_unused_scans(self) -> None:
        """Forget pictures with text that no document shows."""
        with self._database.write() as connection:
            scan_table.forget_unused_scans(connection)
