"""Shards, merged, are the base that one process makes of the same documents."""

from __future__ import annotations

import json
import mailbox
import shutil
import time
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pytest

from hoptrail.core.errors import EmbedderMismatchError, InputError, SourceRootError
from hoptrail.core.types import Document
from hoptrail.indexing.pipeline import Indexer
from hoptrail.indexing.shards.shard_set import finished_shards
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import HashingEmbedder
from tests.sharded import BY_RULES, exported, index_all, merge

OpenKb = Callable[[str], KnowledgeBase]
EXAMPLES = Path(__file__).parents[4] / "examples" / "articles"


def write_office(folder: Path) -> Path:
    """Write files of many formats, some damaged, two of one name, two of one text."""
    folder.mkdir()
    for number in range(4):
        minutes = docx.Document()
        minutes.add_heading(f"Minutes {number}", 1)
        minutes.add_paragraph(f"Edda Thorn founded the Alder Yard {number} in Port Selwick.")
        minutes.save(str(folder / f"minutes-{number}.docx"))
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["Ship", "Yard", "Year"])
    for number in range(12):
        book.active.append([f"Ship {number}", f"Alder Yard {number % 3}", 1850 + number])
    book.save(folder / "ships.xlsx")
    for name in ("here", "there"):
        (folder / name).mkdir()
        box = mailbox.mbox(folder / name / "Inbox.mbox")
        for number in range(5):
            mail = EmailMessage()
            mail["Subject"] = f"Day {number}"
            mail["Message-ID"] = f"<{name}{number}@example.org>"
            mail.set_content(f"Signe Holloway met Tomas Weyrich in Norhaven on day {number}.")
            box.add(mail)
        box.close()
    rows = [{"id": f"p{n}", "text": f"Person P{n} lives in Alba."} for n in range(9)]
    lines = [*map(json.dumps, rows), "no json", json.dumps({"id": "p3", "text": "Again."})]
    (folder / "people.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "cut.docx").write_bytes(b"PK\x03\x04")
    for name in ("one", "two"):
        (folder / f"{name}.txt").write_text("The Tamber Bridge was built by Oren Pascoe.")
    time.sleep(0.2)  # a file that was written just now gets no stamp
    return folder


@pytest.mark.parametrize("of", ["articles", "office"])
def test_the_base_is_that_of_one_process(tmp_path: Path, open_kb: OpenKb, of: str) -> None:
    inputs = [EXAMPLES if of == "articles" else write_office(tmp_path / "office")]
    one, merged = open_kb("one"), open_kb("merged")
    expected = Indexer(one).index(inputs, BY_RULES).to_json()
    index_all(inputs, tmp_path / "shards")
    report = merge(merged, tmp_path / "shards").to_json()
    assert exported(merged) == exported(one)
    assert merged.file_stamps() == one.file_stamps()
    assert merged.source_roots() == one.source_roots()
    assert sorted(map(str, report.pop("skipped"))) == sorted(map(str, expected.pop("skipped")))
    of_this_run = {"seconds", "duplicates"}
    assert {name: told for name, told in report.items() if name not in of_this_run} == {
        name: told for name, told in expected.items() if name not in of_this_run
    }


def test_documents_of_one_text_are_told_whatever_shards_they_are_in(
    tmp_path: Path, open_kb: OpenKb
) -> None:
    folder = write_office(tmp_path / "office")
    index_all([folder], tmp_path / "shards")
    told = merge(open_kb("kb"), tmp_path / "shards").duplicates
    assert ["office/one.txt", "office/two.txt"] in [sorted(same) for same in told]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of short documents, some in each shard."""
    folder = tmp_path / "yards"
    folder.mkdir()
    for number in range(9):
        (folder / f"{number}.txt").write_text(f"Edda Thorn founded the Alder Yard {number}.")
    return folder


def test_merging_twice_changes_nothing(tmp_path: Path, kb: KnowledgeBase, notes: Path) -> None:
    index_all([notes], tmp_path / "shards")
    merge(kb, tmp_path / "shards")
    before = exported(kb), kb.newest_generation
    report = merge(kb, tmp_path / "shards")
    assert (exported(kb), kb.newest_generation) == before
    assert report.documents.added == 0
    assert report.documents.unchanged == kb.counts()["documents"]


def test_changed_documents_are_replaced_and_others_kept(tmp_path: Path, open_kb: OpenKb) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.txt").write_text(f"Edda Thorn founded Yard {number}.")
    merged, one = open_kb("merged"), open_kb("one")
    for kb in (merged, one):
        Indexer(kb).index([folder], BY_RULES)
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"Oren Pascoe founded Yard {number}.")
    index_all([folder], tmp_path / "shards")
    report = merge(merged, tmp_path / "shards")
    Indexer(one).index([folder], BY_RULES)
    assert (report.documents.replaced, report.documents.unchanged) == (3, 3)
    assert exported(merged) == exported(one)


def test_a_shard_that_is_missing_is_named_and_nothing_is_stored(
    tmp_path: Path, kb: KnowledgeBase, notes: Path
) -> None:
    index_all([notes], tmp_path / "shards")
    shutil.rmtree(tmp_path / "shards" / "shard-2-of-3")
    with pytest.raises(InputError, match="shard 2/3 is missing"):
        merge(kb, tmp_path / "shards")
    assert kb.counts()["documents"] == 0


@pytest.mark.parametrize("kept", [0, 3000, 20_000])
def test_a_shard_that_was_cut_in_copying_is_named(
    tmp_path: Path, kb: KnowledgeBase, notes: Path, kept: int
) -> None:
    index_all([notes], tmp_path / "shards")
    file = tmp_path / "shards" / "shard-3-of-3" / "hoptrail.sqlite"
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(InputError, match="shard 3/3 .* is damaged"):
        merge(kb, tmp_path / "shards")
    assert kb.counts()["documents"] == 0


def test_a_shard_with_the_database_of_another_is_named(
    tmp_path: Path, kb: KnowledgeBase, notes: Path
) -> None:
    index_all([notes], tmp_path / "shards")
    first, second = (tmp_path / "shards" / f"shard-{number}-of-3" for number in (1, 2))
    shutil.copy(first / "hoptrail.sqlite", second / "hoptrail.sqlite")
    with pytest.raises(InputError, match=r"shard 2/3 .* it holds \d+ documents, not"):
        merge(kb, tmp_path / "shards")


def test_shards_of_other_settings_are_not_mixed(tmp_path: Path, notes: Path) -> None:
    index_all([notes], tmp_path / "a")
    index_all([notes], tmp_path / "b", options=BY_RULES.__class__(extractor="none"))
    shutil.rmtree(tmp_path / "a" / "shard-2-of-3")
    shutil.copytree(tmp_path / "b" / "shard-2-of-3", tmp_path / "a" / "shard-2-of-3")
    with pytest.raises(InputError, match="shard 2/3 was made with extractor none, not nlp"):
        finished_shards(tmp_path / "a")


def test_shards_of_two_divisions_are_not_mixed(tmp_path: Path, notes: Path) -> None:
    index_all([notes], tmp_path / "shards")
    (tmp_path / "shards" / "shard-1-of-4").mkdir()
    with pytest.raises(InputError, match="of 3 and of 4"):
        finished_shards(tmp_path / "shards")


class OtherEmbedder(HashingEmbedder):
    @property
    def name(self) -> str:
        return "other"


def test_a_base_of_another_embedder_is_refused(tmp_path: Path, notes: Path) -> None:
    index_all([notes], tmp_path / "shards")
    with (
        KnowledgeBase.open(tmp_path / "kb", embedder=OtherEmbedder(), create=True) as kb,
        pytest.raises(EmbedderMismatchError, match="hashing"),
    ):
        merge(kb, tmp_path / "shards")


def test_a_source_of_another_folder_is_refused_and_nothing_is_stored(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    for place in ("a", "b"):
        (tmp_path / place / "notes").mkdir(parents=True)
        (tmp_path / place / "notes" / f"{place}.txt").write_text(f"Note {place}.")
    Indexer(kb).index([tmp_path / "a" / "notes"], BY_RULES)
    index_all([tmp_path / "b" / "notes"], tmp_path / "shards")
    with pytest.raises(SourceRootError, match="notes"):
        merge(kb, tmp_path / "shards")
    assert kb.counts()["documents"] == 1


def test_documents_of_other_origin_stay(tmp_path: Path, kb: KnowledgeBase, notes: Path) -> None:
    Indexer(kb).index([Document("x/1", "X", "Edda Thorn lives in Norhaven.", "x")], BY_RULES)
    index_all([notes], tmp_path / "shards")
    merge(kb, tmp_path / "shards")
    assert "x/1" in kb.content_hashes()
