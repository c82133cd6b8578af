from __future__ import annotations

from hoptrail.indexing.loading.scans.scan_shelf import MemoryShelf, SecondShelf


def test_a_picture_that_another_shelf_has_is_not_read_again() -> None:
    own, other = MemoryShelf(), MemoryShelf()
    other.put_scan("a", "reader", "of the other", b"")
    shelf = SecondShelf(own, other)
    shelf.put_scan("b", "reader", "of its own", b"")
    assert shelf.known_scans("reader") == {"a", "b"}
    assert (shelf.scan("a"), shelf.scan("b"), shelf.scan("c")) == (
        "of the other",
        "of its own",
        None,
    )
    assert other.known_scans("reader") == {"a"}
