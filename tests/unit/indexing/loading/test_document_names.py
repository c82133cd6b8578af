"""Ids of documents come from the folder that was named, wherever one works, however one types."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError, SourceRootError
from hoptrail.indexing.loading.document_names import DocumentNames, KnownFiles
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.source_table import Origin, file_uri


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    write(home / "work" / "docs", "a.md", "sub/b.md")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)
    return home


def write(folder: Path, *names: str, text: str = "Some text about it.") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text} {name}", encoding="utf-8")


def index(kb: KnowledgeBase, *inputs: str | Path, source: str | None = None) -> set[str]:
    """Index and return the ids of all documents."""
    Indexer(kb).index(inputs, IndexOptions(extractor="none", source=source))
    return set(kb.content_hashes())


@pytest.mark.parametrize(
    ("place", "typed"),
    [
        ("", "work/docs"),
        ("", "work/docs/"),
        ("", "./work/../work//docs/."),
        ("", "~/work/docs"),
        ("", "link"),
        ("work", "docs"),
        ("work/docs", "."),
        ("work/docs/sub", ".."),
        ("work/docs/sub", "../../docs/"),
        ("other", "../work/docs"),
    ],
)
def test_a_folder_gives_the_same_ids_however_it_is_typed(
    home: Path, kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, place: str, typed: str
) -> None:
    (home / "other").mkdir()
    (home / "link").symlink_to(home / "work" / "docs")
    index(kb, home / "work" / "docs")
    monkeypatch.chdir(home / place)

    assert index(kb, typed) == {"docs/a.md", "docs/sub/b.md"}


def test_a_file_that_is_named_is_that_of_its_folder(home: Path, kb: KnowledgeBase) -> None:
    assert index(kb, "work/docs/a.md") == {"docs/a.md"}
    assert index(kb, "work/docs") == {"docs/a.md", "docs/sub/b.md"}
    assert index(kb, "work/docs/sub/b.md") == {"docs/a.md", "docs/sub/b.md"}


def test_what_lies_in_a_known_folder_belongs_to_it(home: Path, kb: KnowledgeBase) -> None:
    index(kb, "work/docs")
    write(home / "work/docs/sub", "c.md")

    assert index(kb, "work/docs/sub") == {"docs/a.md", "docs/sub/b.md", "docs/sub/c.md"}


def test_a_folder_around_a_known_one_holds_nothing_twice(home: Path, kb: KnowledgeBase) -> None:
    write(home / "work", "c.md")
    index(kb, "work/docs")

    assert index(kb, "work") == {"docs/a.md", "docs/sub/b.md", "work/c.md"}


def test_a_second_folder_of_a_name_is_refused_and_changes_nothing(
    home: Path, kb: KnowledgeBase
) -> None:
    index(kb, "work/docs")
    write(home / "play/docs", "a.md", text="Quite another text.")
    before = kb.content_hashes()

    with pytest.raises(SourceRootError, match="--source"):
        index(kb, "play/docs")
    with pytest.raises(SourceRootError, match="--source"):
        index(kb, "play/docs/a.md")

    assert kb.content_hashes() == before
    assert index(kb, "play/docs", source="play") == {*before, "play/a.md"}
    assert index(kb, "play/docs") == {*before, "play/a.md"}


def test_the_given_source_has_one_root_too(home: Path, kb: KnowledgeBase) -> None:
    write(home / "play", "a.md", text="Quite another text.")
    index(kb, "work/docs", source="mine")

    with pytest.raises(SourceRootError, match="mine"):
        index(kb, "play", source="mine")


def test_a_folder_with_two_names_asks_for_one(home: Path, kb: KnowledgeBase) -> None:
    index(kb, "work/docs", source="one")
    assert index(kb, "work/docs", source="two") >= {"one/a.md", "two/a.md"}

    with pytest.raises(InputError, match="as one and as two"):
        index(kb, "work/docs")


def test_files_of_one_given_source_never_replace_each_other(home: Path, kb: KnowledgeBase) -> None:
    write(home / "play", "a.md", "c.md", text="Quite another text.")

    assert index(kb, "work/docs/a.md", "play/c.md", source="s") == {"s/a.md", "s/c.md"}
    with pytest.raises(SourceRootError):
        index(kb, "play/a.md", source="s")


def test_two_corpora_of_one_name_need_a_source(home: Path, kb: KnowledgeBase) -> None:
    for folder in ("one", "two"):
        (home / folder).mkdir()
        (home / folder / "bees.jsonl").write_text(
            json.dumps({"id": 1, "text": f"A bee of {folder}."})
        )
    index(kb, "one/bees.jsonl")

    with pytest.raises(SourceRootError):
        index(kb, "two/bees.jsonl")
    assert index(kb, "two/bees.jsonl", source="more") == {"bees/1", "more/1"}


def test_the_name_of_a_source_is_free_again_without_its_documents(
    home: Path, kb: KnowledgeBase
) -> None:
    write(home / "play/docs", "a.md")
    Indexer(kb).delete(index(kb, "work/docs"))

    assert index(kb, "play/docs") == {"docs/a.md"}


def test_a_name_that_is_not_utf8_is_recorded(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff"))
    write(folder, "a.md")

    assert index(kb, folder) == index(kb, folder) == {"bad?/a.md"}


def test_places_of_documents_are_read_when_they_are_asked_for() -> None:
    asked: list[str] = []

    def read() -> list[Origin]:
        asked.append("read")
        return [Origin("s/a", file_uri("/docs/a.md"), "s")]

    known = KnownFiles(read=read)
    assert DocumentNames("s", known).corpus("/docs/c.jsonl").id == "s/"
    assert not asked
    assert known.paths == {"s/a": "/docs/a.md"}
    assert list(known.by_path) == ["/docs/a.md"]
    assert asked == ["read"]
