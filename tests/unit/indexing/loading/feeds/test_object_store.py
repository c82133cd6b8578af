"""Files of an object store, here of fsspec's own one in memory."""

from __future__ import annotations

from collections.abc import Iterator

import fsspec
import pytest

from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.feeds.object_store import ObjectStoreFeed, is_object_store
from hoptrail.indexing.loading.files import Skipped

ROOT = "memory://yard/docs"


@pytest.fixture(autouse=True)
def store() -> Iterator[None]:
    system = fsspec.filesystem("memory")
    files = {"keel.md": b"# Keel\n\nTor Lie laid it.", "sub/a.html": b"<p>Ida Holm lives in Varde."}
    others = {"hull.zip": b"x", ".hidden/b.md": b"x", "main.py": b"x", "empty.txt": b""}
    for name, data in {**files, **others}.items():
        system.pipe(f"/yard/docs/{name}", data)
    system.pipe("/yard/docs2/c.md", b"Not below.")
    yield
    system.store.clear()


def test_addresses_of_object_stores_are_known() -> None:
    assert is_object_store("s3://bucket/a") and is_object_store("gs://bucket")
    assert not is_object_store("https://e.org/s3://") and not is_object_store("s3/a")


def test_files_are_called_by_their_path_below_the_address() -> None:
    feed = ObjectStoreFeed(f"{ROOT}/", name="yard")
    came = list(load_documents([feed]))
    documents = [one for one in came if isinstance(one, Document)]
    assert [(one.id, one.title, one.uri) for one in documents] == [
        ("yard/keel.md", "Keel", f"{ROOT}/keel.md"),
        ("yard/sub/a.html", "a", f"{ROOT}/sub/a.html"),
    ]
    assert [one.path for one in came if isinstance(one, Skipped)] == [f"{ROOT}/empty.txt"]
    assert "yard/empty.txt" in feed.run.present and feed.run.stopped_by is None


def test_one_file_may_be_named() -> None:
    (document,) = load_documents([ObjectStoreFeed(f"{ROOT}/keel.md", name="yard")])
    assert isinstance(document, Document) and document.id == "yard/keel.md"


def test_limits_and_what_is_not_there_stop_the_reading() -> None:
    feed = ObjectStoreFeed(ROOT, max_documents=1)
    *_, last = load_documents([feed])
    assert isinstance(last, Skipped) and "stopped after 1 files, the limit" in last.reason
    assert feed.run.stopped_by is not None

    feed = ObjectStoreFeed("memory://nowhere")
    assert list(load_documents([feed])) == [] or feed.run.stopped_by
    feed = ObjectStoreFeed("nosuchscheme://bucket")
    (told,) = load_documents([feed])
    assert isinstance(told, Skipped) and "nosuchscheme" in told.reason
    assert feed.run.stopped_by is not None
