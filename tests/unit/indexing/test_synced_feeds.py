"""A loader, or a store of objects, and its documents in step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document as LangChainDocument
from llama_index.core import Document as LlamaIndexDocument
from llama_index.core import SimpleDirectoryReader

from hoptrail.core.errors import InputError, NothingIndexedError, SourceRootError
from hoptrail.indexing.loading.feeds.loaders import LoaderFeed
from hoptrail.indexing.loading.feeds.object_store import ObjectStoreFeed
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.indexing.report import IndexReport
from hoptrail.stores.knowledge_base import KnowledgeBase

NLP = IndexOptions(extractor="nlp")


class Wiki(BaseLoader):
    """Gives the texts by name, then does what `at_end` says."""

    def __init__(self, texts: dict[str, str], at_end: Exception | None = None) -> None:
        self.texts = texts
        self.at_end = at_end
        self.given = 0

    def lazy_load(self) -> Iterator[LangChainDocument]:
        for name, text in self.texts.items():
            self.given += 1
            metadata = {"source": f"https://w.example/{name}", "author": "Ida Holm"}
            yield LangChainDocument(page_content=text, metadata=metadata)
        if self.at_end is not None:
            raise self.at_end


TEXTS = {name: f"Edda Thorn founded the {name.title()} Guild in Varde." for name in "abc"}


def sync(kb: KnowledgeBase, loader: Wiki, name: str = "wiki", **choices: bool) -> IndexReport:
    return Indexer(kb).sync(LoaderFeed(loader, name=name), NLP, **choices)


def counted(report: IndexReport) -> tuple[int, int, int, int]:
    documents = report.documents
    return documents.added, documents.replaced, documents.deleted, documents.unchanged


def test_what_is_new_changed_and_gone(kb: KnowledgeBase) -> None:
    assert counted(sync(kb, Wiki(TEXTS))) == (3, 0, 0, 0)
    generation = kb.generation
    assert counted(sync(kb, Wiki(TEXTS))) == (0, 0, 0, 3)
    assert kb.generation == generation

    changed = {"a": TEXTS["a"], "b": "Signe Holm built the tower of Lund.", "d": "Lund is old."}
    report = sync(kb, Wiki(changed))

    assert counted(report) == (1, 1, 1, 1)
    assert report.deleted == ("wiki/w.example/c",)


def test_a_loader_that_raises_in_the_middle_deletes_nothing(kb: KnowledgeBase) -> None:
    sync(kb, Wiki(TEXTS))
    report = sync(kb, Wiki({"d": "Lund is old."}, ConnectionError("reset")))
    assert counted(report) == (1, 0, 0, 0)
    (skipped,) = report.skipped
    assert skipped.reason == (
        "the loader stopped after 1 document: ConnectionError: reset; what came before it is read"
    )
    (note,) = report.notes
    assert note.startswith("documents of wiki that did not come are kept (3)")


def test_a_loader_that_raises_at_once_is_an_error(kb: KnowledgeBase) -> None:
    with pytest.raises(NothingIndexedError, match="ImportError: pip install notion"):
        sync(kb, Wiki({}, ImportError("pip install notion")))


def test_a_loader_without_any_document_deletes_all_only_where_that_is_said(
    kb: KnowledgeBase,
) -> None:
    sync(kb, Wiki(TEXTS))
    with pytest.raises(InputError, match="wiki gives no document, and .* has 3 of it"):
        sync(kb, Wiki({}))
    assert counted(sync(kb, Wiki({}), allow_empty=True)) == (0, 0, 3, 0)


def test_documents_of_which_none_comes_again_go_only_where_that_is_said(
    kb: KnowledgeBase,
) -> None:
    sync(kb, Wiki(TEXTS))
    others = Wiki({"d": "Lund is old."})  # as of the same loader with other arguments

    for _ in range(2):
        with pytest.raises(InputError, match="none of the 3 documents of wiki came again"):
            sync(kb, others)
        assert sorted(kb.content_hashes()) == [f"wiki/w.example/{name}" for name in "abc"]
    assert counted(sync(kb, others, moved=True)) == (1, 0, 3, 0)


def test_a_document_without_text_keeps_what_it_said(kb: KnowledgeBase) -> None:
    sync(kb, Wiki(TEXTS))
    report = sync(kb, Wiki({**TEXTS, "b": " "}))
    assert counted(report) == (0, 0, 0, 2)
    assert [one.reason for one in report.skipped] == ["holds no text"]


def test_documents_of_other_sources_stay(kb: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "x.md").write_text("A bee lives here.")
    Indexer(kb).index([tmp_path / "notes"], NLP)
    sync(kb, Wiki({"z": "Lund is a town."}), "wikis")
    sync(kb, Wiki(TEXTS))
    assert counted(sync(kb, Wiki({"a": TEXTS["a"]}))) == (0, 0, 2, 1)
    report = Indexer(kb).sync(tmp_path / "notes", NLP)
    assert counted(report) == (0, 0, 0, 1)
    assert sorted(kb.content_hashes()) == ["notes/x.md", "wiki/w.example/a", "wikis/w.example/z"]


def test_another_loader_cannot_take_a_name_that_is_in_use(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    sync(kb, Wiki(TEXTS))
    other = LoaderFeed([LangChainDocument(page_content="Lund is old.")], name="wiki")
    with pytest.raises(SourceRootError, match="would be a second one of that name"):
        Indexer(kb).sync(other, NLP)
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "x.md").write_text("A bee lives here.")
    with pytest.raises(SourceRootError, match="the source wiki is "):
        Indexer(kb).index([tmp_path / "wiki"], NLP)
    report = Indexer(kb).sync(other, NLP, moved=True)
    assert counted(report) == (1, 0, 3, 0)


def test_a_plan_stores_nothing(kb: KnowledgeBase) -> None:
    sync(kb, Wiki(TEXTS))
    kept_and_new = Wiki({"a": TEXTS["a"], "d": "Lund is old."})
    plan = Indexer(kb).plan_sync(LoaderFeed(kept_and_new, name="wiki"), NLP)
    assert plan.added == ("wiki/w.example/d",)
    assert plan.deleted == ("wiki/w.example/b", "wiki/w.example/c")
    assert len(kb.content_hashes()) == 3


def test_index_deletes_nothing_and_forecasts(kb: KnowledgeBase) -> None:
    sync(kb, Wiki(TEXTS))
    feed = LoaderFeed(Wiki({"d": "Lund is old."}), name="wiki")
    assert Indexer(kb).forecast([feed], NLP).chunks == 1
    assert counted(Indexer(kb).index([feed], NLP)) == (1, 0, 0, 0)
    assert len(kb.content_hashes()) == 4


def test_documents_come_as_they_are_stored_and_not_all_at_once(kb: KnowledgeBase) -> None:
    """A loader of many documents is never more than a little ahead of what is stored."""
    ahead: list[int] = []
    loader = Wiki({str(number): f"Text {number} on Lund." for number in range(400)})
    put = kb.put_document

    def watched(*arguments: object) -> object:
        ahead.append(loader.given)
        return put(*arguments)  # type: ignore[arg-type]

    kb.put_document = watched  # type: ignore[method-assign,assignment]
    sync(kb, loader)
    assert ahead[0] <= 128 + 16


def notes(folder: Path, *names: str) -> list[LlamaIndexDocument]:
    """Return what LlamaIndex reads of a folder, after writing files of these names there."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"Edda Thorn founded the Guild of {Path(name).stem}.")
    return SimpleDirectoryReader(str(folder), recursive=True).load_data()


def sync_given(kb: KnowledgeBase, given: Any, **choices: bool) -> list[str]:
    Indexer(kb).sync(LoaderFeed(given, name="hr"), NLP, **choices)
    return sorted(kb.content_hashes())


def test_files_of_given_documents_are_called_by_their_path_in_the_folder_they_share(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    given = notes(tmp_path / "notes", "bees.md", "sub/mill.md")
    assert sync_given(kb, given) == ["hr/bees.md", "hr/sub/mill.md"]
    assert kb.source_roots()["hr"].root == f"documents of {(tmp_path / 'notes').resolve()}"


def test_ids_of_given_documents_stay_where_fewer_or_more_of_the_folder_come(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    sync_given(kb, notes(folder, "bees.md", "sub/mill.md"))
    (folder / "bees.md").unlink()
    assert sync_given(kb, notes(folder)) == ["hr/sub/mill.md"]
    assert sync_given(kb, notes(folder, "a/yard.md")) == ["hr/a/yard.md", "hr/sub/mill.md"]

    outside = (tmp_path / "more" / "keel.md").resolve()
    given = [*notes(folder), *notes(outside.parent, outside.name)]
    assert sync_given(kb, given)[-1] == f"hr/{outside.as_posix().strip('/')}"


def test_a_base_in_which_given_documents_have_whole_paths_keeps_them(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    given = notes(tmp_path / "notes", "bees.md")
    whole = f"hr/{(tmp_path / 'notes' / 'bees.md').resolve().as_posix().strip('/')}"
    assert sync_given(kb, iter(given)) == [whole]
    assert sync_given(kb, given) == [whole]
    assert sync_given(kb, given, moved=True) == ["hr/bees.md"]


class Bucket(MemoryFileSystem):  # type: ignore[misc]
    """A store of objects that tells a tag of each, and remembers what was fetched."""

    protocol = "bucket"
    store: dict[str, Any] = {}
    fetched: list[str] = []

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        stripped: str = super()._strip_protocol(path.removeprefix("bucket:/"))
        return stripped

    def find(self, path: str, *given: Any, **options: Any) -> dict[str, Any]:
        found = super().find(path, *given, **options)
        return {name: self._tagged(facts) for name, facts in found.items()}

    def get_file(self, rpath: str, lpath: str, **options: Any) -> None:
        self.fetched.append(rpath)
        super().get_file(rpath, lpath, **options)

    def _tagged(self, facts: dict[str, Any]) -> dict[str, Any]:
        data = self.store[facts["name"]].getvalue()
        return {**facts, "ETag": str(hash(data))}


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    fsspec.register_implementation("bucket", Bucket, clobber=True)
    bucket = Bucket()
    for name, text in TEXTS.items():
        bucket.pipe(f"/papers/{name}.txt", text.encode())
    yield bucket
    bucket.store.clear()
    bucket.fetched.clear()


def test_objects_that_are_as_they_were_are_not_fetched_again(
    kb: KnowledgeBase, bucket: Bucket
) -> None:
    papers = ObjectStoreFeed("bucket://papers")
    assert counted(Indexer(kb).sync(papers, NLP)) == (3, 0, 0, 0)
    bucket.fetched.clear()
    bucket.pipe("/papers/b.txt", b"Signe Holm built the tower of Lund.")

    report = Indexer(kb).sync(papers, NLP)

    assert counted(report) == (0, 1, 0, 2)
    assert bucket.fetched == ["/papers/b.txt"]


def test_a_store_without_any_file_is_named(kb: KnowledgeBase, bucket: Bucket) -> None:
    with pytest.raises(NothingIndexedError, match="bucket://empty: no files below this address"):
        Indexer(kb).sync(ObjectStoreFeed("bucket://empty"), NLP)


def test_an_object_whose_document_was_deleted_is_fetched_again(
    kb: KnowledgeBase, bucket: Bucket
) -> None:
    papers = ObjectStoreFeed("bucket://papers")
    Indexer(kb).sync(papers, NLP)
    Indexer(kb).delete(["papers/b.txt"])

    assert counted(Indexer(kb).sync(papers, NLP)) == (1, 0, 0, 2)
