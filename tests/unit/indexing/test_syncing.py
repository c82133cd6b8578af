"""A folder and its documents in step."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError, NothingIndexedError, SourceRootError
from hoptrail.core.types import Document, NodeUsage
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.indexing.report import IndexReport
from hoptrail.stores.knowledge_base import KnowledgeBase

NLP = IndexOptions(extractor="nlp")
NONE = IndexOptions(extractor="none")
TEXT = "Edda Thorn founded the {} Guild in Brackenholm."
OpenKb = Callable[[str], KnowledgeBase]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for name in ("a.md", "b.txt", "sub/c.md"):
        write(folder / name)
    return folder


def write(path: Path, text: str | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or TEXT.format(path.stem.title()), encoding="utf-8")


def sync(kb: KnowledgeBase, folder: Path, **choices: bool) -> IndexReport:
    return Indexer(kb).sync(folder, NLP, **choices)


def ids(kb: KnowledgeBase) -> list[str]:
    return list(kb.content_hashes())


def counted(report: IndexReport) -> tuple[int, int, int, int]:
    documents = report.documents
    return documents.added, documents.replaced, documents.deleted, documents.unchanged


def test_what_is_new_changed_and_gone(
    kb: KnowledgeBase, open_kb: OpenKb, folder: Path, exported: Callable[[KnowledgeBase], str]
) -> None:
    assert counted(sync(kb, folder)) == (3, 0, 0, 0)
    write(folder / "a.md", "Signe Holm built the tower of Varde.")
    write(folder / "d.md")
    (folder / "b.txt").unlink()

    report = sync(kb, folder)

    assert counted(report) == (1, 1, 1, 1)
    assert report.deleted == ("notes/b.txt",)
    fresh = open_kb("fresh")
    sync(fresh, folder)
    assert exported(kb) == exported(fresh)


def test_a_second_time_changes_nothing(kb: KnowledgeBase, folder: Path) -> None:
    sync(kb, folder)
    generation = kb.generation

    assert counted(sync(kb, folder)) == (0, 0, 0, 3)
    assert kb.generation == generation


def test_documents_from_elsewhere_stay(kb: KnowledgeBase, folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "other" / "x.md")
    (tmp_path / "bees.jsonl").write_text('{"id": 1, "text": "A bee lives here."}')
    Indexer(kb).index([tmp_path / "other", tmp_path / "bees.jsonl"], NLP)
    sync(kb, folder)
    (folder / "a.md").unlink()

    sync(kb, folder)

    assert ids(kb) == ["bees/1", "notes/b.txt", "notes/sub/c.md", "other/x.md"]


def test_index_and_sync_share_ids_and_index_tells_what_is_gone(
    kb: KnowledgeBase, folder: Path
) -> None:
    Indexer(kb).index([folder], NLP)
    (folder / "sub/c.md").unlink()

    told = Indexer(kb).index([folder], NLP)
    synced = sync(kb, folder)

    assert (told.gone, told.documents.deleted) == (("notes/sub/c.md",), 0)
    assert (synced.gone, synced.deleted) == ((), ("notes/sub/c.md",))


def test_a_part_of_a_folder_is_synced_alone(kb: KnowledgeBase, folder: Path) -> None:
    sync(kb, folder)
    (folder / "a.md").unlink()
    (folder / "sub/c.md").unlink()
    write(folder / "sub/d.md")

    assert sync(kb, folder / "sub").deleted == ("notes/sub/c.md",)
    assert ids(kb) == ["notes/a.md", "notes/b.txt", "notes/sub/d.md"]


def test_rows_of_a_corpus_come_and_go(kb: KnowledgeBase, folder: Path) -> None:
    rows = [json.dumps({"id": number, "text": f"Bee {number} lives here."}) for number in (1, 2)]
    write(folder / "bees.jsonl", "\n".join(rows))
    sync(kb, folder)
    write(folder / "bees.jsonl", rows[1] + "\n")

    assert sync(kb, folder).deleted == ("bees/1",)
    (folder / "bees.jsonl").unlink()
    assert sync(kb, folder).deleted == ("bees/2",)


def test_a_half_written_corpus_loses_nothing(kb: KnowledgeBase, folder: Path) -> None:
    rows = [json.dumps({"id": number, "text": f"Bee {number} lives here."}) for number in (1, 2)]
    write(folder / "bees.jsonl", "\n".join(rows))
    sync(kb, folder)
    write(folder / "bees.jsonl", rows[0] + "\n" + rows[1][:9])

    report = sync(kb, folder)

    assert report.deleted == ()
    assert [skipped.path for skipped in report.skipped] == [f"{folder}/bees.jsonl:2"]
    assert "bees/2" in ids(kb)


def test_a_file_that_cannot_be_read_is_kept_and_named(kb: KnowledgeBase, folder: Path) -> None:
    sync(kb, folder)
    (folder / "a.md").write_bytes(b"\x00\x01\x02" * 100)
    (folder / "b.txt").write_bytes(b"")

    report = sync(kb, folder)

    assert counted(report) == (0, 0, 0, 1)
    assert [Path(skipped.path).name for skipped in report.skipped] == ["a.md", "b.txt"]
    assert report.documents.skipped == 2
    assert len(ids(kb)) == 3


def test_a_missing_folder_deletes_nothing(kb: KnowledgeBase, folder: Path) -> None:
    sync(kb, folder)
    folder.rename(folder.with_name("away"))

    with pytest.raises(InputError, match="no such folder"):
        sync(kb, folder)
    assert len(ids(kb)) == 3


def test_an_empty_folder_deletes_nothing_unless_it_may(kb: KnowledgeBase, folder: Path) -> None:
    sync(kb, folder)
    for path in sorted(folder.rglob("*.*")):
        path.unlink()

    with pytest.raises(InputError, match=r"3 documents of it.*--allow-empty"):
        sync(kb, folder)
    assert len(ids(kb)) == 3
    Indexer(kb).index([Document("t/x", "X", "Ida Holm moved to Alba.", "t")], NONE)
    assert sync(kb, folder, allow_empty=True).documents.deleted == 3
    assert list(kb.mentions()) == []  # nothing else is read on that occasion
    assert counted(sync(kb, folder, allow_empty=True)) == (0, 0, 0, 0)


def test_an_empty_folder_of_no_documents_is_told(kb: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(NothingIndexedError, match="no files in this folder"):
        sync(kb, tmp_path / "empty")


@pytest.mark.parametrize("moved", [False, True])
def test_a_second_folder_of_the_name_is_refused_while_the_first_is_there(
    kb: KnowledgeBase, folder: Path, tmp_path: Path, moved: bool
) -> None:
    sync(kb, folder)
    there = tmp_path / "there" / "notes"
    write(there / "z.md")

    with pytest.raises(SourceRootError, match="--source") as told:
        sync(kb, there, moved=moved)

    assert "--moved" not in str(told.value)
    assert len(ids(kb)) == 3


def test_a_folder_that_was_moved_is_told_by_the_choice_for_it(
    kb: KnowledgeBase, folder: Path, tmp_path: Path
) -> None:
    sync(kb, folder)
    there = tmp_path / "there" / "notes"
    there.parent.mkdir()
    (folder / "a.md").unlink()
    folder.rename(there)
    with pytest.raises(SourceRootError, match="--moved"):
        sync(kb, there)

    report = sync(kb, there, moved=True)

    assert counted(report) == (0, 0, 1, 2)
    assert counted(sync(kb, there)) == (0, 0, 0, 2)


def test_a_file_that_was_moved_keeps_what_was_read_in_it(kb: KnowledgeBase, folder: Path) -> None:
    text = "# Guilds\n\nEdda Thorn founded the Ropers' Guild in Brackenholm."
    write(folder / "a.md", text)
    sync(kb, folder)
    before = [extraction for doc_id, *_, extraction in kb.mentions() if doc_id == "notes/a.md"]
    kb.drop_extractions("nlp")
    kb.put_extraction("notes/a.md", None, "paid", before[0], NodeUsage(llm_calls=1, usd=0.5))
    (folder / "a.md").rename(folder / "sub" / "new.md")

    plan = Indexer(kb).plan_sync(folder, NLP)
    report = sync(kb, folder)

    assert (plan.moved, plan.unchanged, plan.forecast.chunks) == (report.moved, 2, 0)
    assert (report.documents.moved, counted(report)) == (1, (0, 0, 0, 2))
    assert ids(kb) == ["notes/b.txt", "notes/sub/c.md", "notes/sub/new.md"]
    paid = [doc_id for doc_id, _, extractor, _ in kb.mentions() if extractor == "paid"]
    assert paid == ["notes/sub/new.md"]
    assert kb.missing_documents(["notes/a.md", "notes/never.md"]) == {"notes/never.md"}


def test_a_deleted_document_comes_back(kb: KnowledgeBase, folder: Path) -> None:
    sync(kb, folder)
    (folder / "b.txt").unlink()
    gone = Indexer(kb).delete(["notes/b.txt"])
    there = Indexer(kb).delete(["notes/a.md"])

    assert gone.notes == ()
    assert there.notes[0].startswith(f"{folder} still holds files of what was deleted")
    assert counted(sync(kb, folder)) == (1, 0, 0, 1)


def test_a_plan_lists_all_and_changes_nothing(kb: KnowledgeBase, folder: Path) -> None:
    sync(kb, folder)
    write(folder / "a.md", "Signe Holm built the tower of Varde.")
    write(folder / "d.md")
    (folder / "b.txt").unlink()
    before = kb.content_hashes()

    plan = Indexer(kb).plan_sync(folder, NLP)

    assert (plan.added, plan.replaced, plan.deleted, plan.unchanged) == (
        ("notes/d.md",),
        ("notes/a.md",),
        ("notes/b.txt",),
        1,
    )
    assert (plan.forecast.chunks, plan.forecast.calls) == (2, 0)
    assert (kb.content_hashes(), kb.is_published) == (before, True)


def test_files_below_a_folder_that_cannot_be_looked_into_are_kept(
    kb: KnowledgeBase, folder: Path
) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may look into every folder")
    sync(kb, folder)
    (folder / "sub").chmod(0)
    try:
        assert counted(sync(kb, folder)) == (0, 0, 0, 2)
    finally:
        (folder / "sub").chmod(0o700)


def test_deleted_text_is_nowhere_in_the_folder(kb: KnowledgeBase, folder: Path) -> None:
    secret = "The vault of Ormskerry opens at the word heliotrope."
    write(folder / "secret.md", secret)
    sync(kb, folder)
    (folder / "secret.md").unlink()

    sync(kb, folder)
    kb.export(exported := io.StringIO(), "jsonl")
    kb.close()

    assert "Ormskerry" not in exported.getvalue()
    words = [b"Ormskerry", b"ormskerry", "ormskerry".encode("utf-32-le")]
    files = [path for path in kb.path.rglob("*") if path.is_file()]
    assert [path for path in files for word in words if word in path.read_bytes()] == []


def test_a_source_below_the_folder_goes_with_its_files(kb: KnowledgeBase, folder: Path) -> None:
    sync(kb, folder / "sub")
    sync(kb, folder)
    assert ids(kb) == ["notes/a.md", "notes/b.txt", "sub/c.md"]
    (folder / "sub/c.md").unlink()

    assert sync(kb, folder).deleted == ("sub/c.md",)


def test_the_same_folder_under_another_name_is_left_alone(kb: KnowledgeBase, folder: Path) -> None:
    sync(kb, folder)
    Indexer(kb).sync(folder, IndexOptions(extractor="nlp", source="other"))
    (folder / "a.md").unlink()

    assert sync(kb, folder).deleted == ("notes/a.md",)
    assert "other/a.md" in ids(kb)


def test_what_is_ignored_by_now_is_deleted(kb: KnowledgeBase, folder: Path) -> None:
    sync(kb, folder)
    write(folder / ".gitignore", "sub/\n")

    report = sync(kb, folder)

    assert report.deleted == ("notes/sub/c.md",)
    assert "1 file or folder that .gitignore names" in report.skipped[0].reason


def test_documents_of_the_same_text_are_told(kb: KnowledgeBase, folder: Path) -> None:
    write(folder / "copy.md", TEXT.format("A"))
    report = sync(kb, folder)

    assert report.duplicates == (("notes/a.md", "notes/copy.md"),)
