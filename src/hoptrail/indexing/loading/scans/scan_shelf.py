"""The place where recognised pictures are kept between runs."""

from __future__ import annotations

from typing import Protocol

from hoptrail.indexing.loading.reading_order import RecognisedPage


class ScanShelf(Protocol):
    """Keeps recognised pictures by their hash; a knowledge base is one."""

    def known_scans(self, recogniser: str) -> set[str]:
        """Return the hashes of the pictures that a recogniser has read."""
        ...

    def scan(self, picture: str) -> str | None:
        """Return what was recognised in a picture, as it was put."""
        ...

    def put_scan(self, picture: str, recogniser: str, page: str, shown: bytes) -> None:
        """Keep what was recognised in a picture.

        Args:
            picture: Its hash.
            recogniser: Who read it.
            page: The `RecognisedPage` as JSON.
            shown: The picture as it is shown, WebP.
        """
        ...


class MemoryShelf:
    """Keeps recognised pictures for as long as it lives."""

    def __init__(self) -> None:
        self._pages: dict[str, tuple[str, str, bytes]] = {}

    def known_scans(self, recogniser: str) -> set[str]:
        """Return the hashes of the pictures that a recogniser has read."""
        return {hash_ for hash_, kept in self._pages.items() if kept[0] == recogniser}

    def scan(self, picture: str) -> str | None:
        """Return what was recognised in a picture, as it was put."""
        kept = self._pages.get(picture)
        return None if kept is None else kept[1]

    def put_scan(self, picture: str, recogniser: str, page: str, shown: bytes) -> None:
        """Keep what was recognised in a picture."""
        self._pages[picture] = (recogniser, page, shown)


class SecondShelf:
    """A shelf that also knows what lies on another one, to which nothing is put.

    Args:
        own: Keeps what is put.
        other: Looked at where `own` has not read a picture.
    """

    def __init__(self, own: ScanShelf, other: ScanShelf) -> None:
        self._own = own
        self._other = other

    def known_scans(self, recogniser: str) -> set[str]:
        """Return the hashes of the pictures that a recogniser has read."""
        return self._own.known_scans(recogniser) | self._other.known_scans(recogniser)

    def scan(self, picture: str) -> str | None:
        """Return the text of a picture, as it was put."""
        found = self._own.scan(picture)
        return self._other.scan(picture) if found is None else found

    def put_scan(self, picture: str, recogniser: str, page: str, shown: bytes) -> None:
        """Keep what was recognised in a picture."""
        self._own.put_scan(picture, recogniser, page, shown)


def page_of(stored: str) -> RecognisedPage:
    """Return a page as it was put on a shelf."""
    import json

    return RecognisedPage.from_json(json.loads(stored))
