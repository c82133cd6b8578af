"""Files of an object store, here of fsspec's own one in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.feeds.object_store import ObjectStoreFeed, is_object_store
from hoptrail.indexing.loading.files import FileStamps, Skipped

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        write(tmp_path / f"{name}.md", "Ida Holm lives in Varde.")
    return tmp_path


def write(path: Path, text: str, seconds: int = 1_700_000_000) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, (seconds, seconds))


def came_anew(folder: Path, before: FileStamps, source: str | None = None) -> set[str]:
    feed = ObjectStoreFeed(f"file://{folder}", name="yard")
    stamps = FileStamps(before.whole)
    return {
        str(getattr(one, "uri", "")) for one in load_documents([feed], source=source, stamps=stamps)
    }


def test_only_what_has_changed_is_fetched_again(folder: Path) -> None:
    stamps = FileStamps()
    list(load_documents([ObjectStoreFeed(f"file://{folder}", name="yard")], stamps=stamps))
    write(folder / "b.md", "Ida Holm lives in Ribe.")
    write(folder / "c.md", "Tor Lie lives in Ribe.")

    assert came_anew(folder, stamps) == {f"file://{folder}/b.md", f"file://{folder}/c.md"}


def test_a_file_is_fetched_for_each_source(folder: Path) -> None:
    stamps = FileStamps()
    list(load_documents([ObjectStoreFeed(f"file://{folder}", name="yard")], stamps=stamps))

    assert len(came_anew(folder, stamps, source="other")) == 2


def test_a_file_that_was_written_just_now_is_fetched_again(folder: Path) -> None:
    (folder / "a.md").touch()  # a second change within the same second could not be told
    stamps = FileStamps()
    list(load_documents([ObjectStoreFeed(f"file://{folder}", name="yard")], stamps=stamps))

    assert came_anew(folder, stamps) == {f"file://{folder}/a.md"}


def test_versions_tell_what_came_changed_and_went(folder: Path) -> None:
    feed = ObjectStoreFeed(f"file://{folder}")
    before = feed.versions()
    write(folder / "b.md", "Ida Holm lives in Ribe.")
    changed = feed.versions()
    (folder / "b.md").unlink()

    assert before != changed
    assert before.keys() - feed.versions().keys() == {"b.md"}


def test_limits_and_what_is_not_there_stop_the_reading() -> None:
    feed = ObjectStoreFeed(ROOT, max_documents=1)
    *_, last = load_documents([feed])
    assert isinstance(last, Skipped) and "stopped after 1 file, the limit" in last.reason
    assert feed.run.stopped_by is not None

    feed = ObjectStoreFeed("nosuchscheme://bucket")
    (told,) = load_documents([feed])
    assert isinstance(told, Skipped) and "nosuchscheme" in told.reason
    assert feed.run.stopped_by is not None


def test_an_address_below_which_nothing_is_read_is_named() -> None:
    fsspec.filesystem("memory").pipe("/yard/programs/main.py", b"x")
    for below, reason in (
        ("nowhere", "no files below this address"),
        ("programs", "no files of a kind that is read"),
    ):
        feed = ObjectStoreFeed(f"memory://yard/{below}")
        assert list(load_documents([feed])) == [Skipped(f"memory://yard/{below}", reason)]
        assert feed.run.stopped_by is None
