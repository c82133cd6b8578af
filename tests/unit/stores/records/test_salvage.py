from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import StringIO
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import KnowledgeBaseError, KnowledgeBaseLockedError
from hoptrail.core.types import Document, JsonDict
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.stores.records.tables import BATCH
from tests.ships import QUESTION, hashing_settings, index_ships

YARD = "t/Alder Yard"
PAGE = 4096


@pytest.fixture(scope="module")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ships")
    index_ships(folder, hashing_settings())
    with Hoptrail.open(folder, settings=hashing_settings(), preset="offline") as hoptrail:
        hoptrail.ask(QUESTION, thread_id="yards")
        hoptrail.communities(extractive=True)
    return folder


@pytest.fixture
def base(ships: Path, tmp_path: Path) -> Path:
    return shutil.copytree(ships, tmp_path / "kb")


@contextmanager
def written(folder: Path, name: str = DATABASE_NAME) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(folder / name)) as connection:
        yield connection
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def repaired(folder: Path, *, dry_run: bool = False) -> JsonDict:
    return Hoptrail.repair(folder, dry_run=dry_run, settings=hashing_settings())


def exported(folder: Path) -> str:
    with KnowledgeBase.open(folder) as kb:
        stream = StringIO()
        kb.export(stream, "jsonl")
        return stream.getvalue()


def test_a_damaged_passage_is_told_and_brought_back_from_its_document(
    base: Path, ships: Path
) -> None:
    with written(base) as connection:
        connection.execute("UPDATE chunks SET text = replace(text, 'Edda Thorn', 'Edda Thotn')")
    with (
        Hoptrail.open(base, settings=hashing_settings(), preset="offline") as hoptrail,
        pytest.raises(KnowledgeBaseError, match="the text of t/.* is damaged") as caught,
    ):
        hoptrail.ask(QUESTION)
    assert "hoptrail repair" in caught.value.hint
    report = repaired(base)
    assert report["mended"] == [YARD, "t/Edda Thorn"]
    assert (report["documents"], report["lost"], report["unread"]) == (3, [], 0)
    assert exported(base) == exported(ships)


def test_a_damaged_document_is_brought_back_from_its_passages(base: Path, ships: Path) -> None:
    with written(base) as connection:
        connection.execute("UPDATE documents SET text = replace(text, '1871', '1817')")
    with pytest.raises(KnowledgeBaseError, match="the text of t/Morning Tern is damaged"):
        exported(base)
    assert repaired(base)["mended"] == ["t/Morning Tern"]
    assert exported(base) == exported(ships)


def test_a_damaged_hash_gives_way_to_passages_that_agree(base: Path, ships: Path) -> None:
    with written(base) as connection:
        connection.execute("UPDATE documents SET content_hash = 'x' WHERE id = ?", (YARD,))
    assert repaired(base)["mended"] == [YARD]
    assert exported(base) == exported(ships)


def test_a_damaged_title_is_brought_back(base: Path, ships: Path) -> None:
    with written(base) as connection:
        connection.execute("UPDATE documents SET title = 'Older Yard' WHERE id = ?", (YARD,))
    assert repaired(base)["mended"] == [YARD]
    assert exported(base) == exported(ships)


def test_a_document_of_which_nothing_whole_is_left_is_named_and_left_out(base: Path) -> None:
    with written(base) as connection:
        for table, column in (("documents", "id"), ("chunks", "doc_id")):
            connection.execute(
                f"UPDATE {table} SET text = replace(text, 'yard', 'card') WHERE {column} = ?",
                (YARD,),
            )
    report = repaired(base)
    assert (report["lost"], report["documents"]) == ([YARD], 2)
    assert "Alder Yard was founded" not in exported(base)


def test_a_lost_file_is_read_again_by_the_same_index_command(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("mill", "yard"):
        (tmp_path / "docs" / f"{name}.txt").write_text(f"The {name} was built by Edda Thorn.")
    with Hoptrail.open(tmp_path / "kb", create=True, settings=hashing_settings()) as hoptrail:
        hoptrail.index([tmp_path / "docs"], extractor="nlp")
    with written(tmp_path / "kb") as connection:
        connection.execute("UPDATE documents SET text = 'x' WHERE id = 'docs/mill.txt'")
        connection.execute("DELETE FROM chunks WHERE doc_id = 'docs/mill.txt'")
    assert repaired(tmp_path / "kb")["lost"] == ["docs/mill.txt"]
    with Hoptrail.open(tmp_path / "kb", settings=hashing_settings()) as hoptrail:
        report = hoptrail.index([tmp_path / "docs"], extractor="nlp")
    assert (report["documents"]["added"], report["documents"]["unchanged"]) == (1, 1)


def test_readings_that_are_lost_are_counted_and_made_again_by_index(
    base: Path, ships: Path
) -> None:
    with written(base) as connection:
        connection.execute("UPDATE extractions SET result = 'none' WHERE doc_id = ?", (YARD,))
    assert repaired(base)["unread"] == 1
    with Hoptrail.open(base, settings=hashing_settings()) as hoptrail:
        hoptrail.index([], extractor="nlp")
    assert exported(base) == exported(ships)


def test_pages_that_cannot_be_read_cost_what_stood_on_them(tmp_path: Path) -> None:
    docs = tmp_path / "docs.jsonl"
    texts = [f"Ship {number} was built by yard {number} of Selwick. " * 20 for number in range(60)]
    docs.write_text(
        "".join(
            json.dumps({"id": str(number), "title": f"Ship {number}", "text": text}) + "\n"
            for number, text in enumerate(texts)
        )
    )
    with Hoptrail.open(tmp_path / "kb", create=True, settings=hashing_settings()) as hoptrail:
        hoptrail.index([docs], extractor="nlp")
    path = tmp_path / "kb" / DATABASE_NAME
    data = bytearray(path.read_bytes())
    wanted = b"yard 30 of Selwick. Ship 30 was built"
    for place in range(0, len(data), PAGE):
        if wanted in data[place : place + PAGE]:
            data[place : place + PAGE] = bytes(PAGE)
    path.write_bytes(data)
    report = repaired(tmp_path / "kb")
    assert "docs/30" in report["lost"]
    assert len(report["lost"]) < 10
    assert report["documents"] == 60 - len(report["lost"])


def test_no_document_of_a_larger_base_is_lost(tmp_path: Path) -> None:
    count = 2 * BATCH + 1
    given = [
        Document(f"t/{number}", f"Ship {number}", f"Ship {number} was built in Selwick.", "t")
        for number in range(count)
    ]
    with Hoptrail.open(tmp_path / "kb", create=True, settings=hashing_settings()) as hoptrail:
        hoptrail.index(given, extractor="nlp")
    before = exported(tmp_path / "kb")
    with written(tmp_path / "kb") as connection:
        connection.execute("UPDATE chunks SET text = 'x' WHERE doc_id = 't/7'")
    report = repaired(tmp_path / "kb")
    assert (report["documents"], report["mended"], report["lost"]) == (count, ["t/7"], [])
    assert exported(tmp_path / "kb") == before


@pytest.mark.parametrize("table", ["documents", "extractions", "relations"])
def test_rows_are_found_where_the_schema_is_damaged(base: Path, ships: Path, table: str) -> None:
    path, made = base / DATABASE_NAME, f"CREATE TABLE {table}".encode()
    data = path.read_bytes()
    assert data.count(made) == 1
    path.write_bytes(data.replace(made, made.replace(b"TABLE", b"TABXE")))
    report = repaired(base)
    assert (report["documents"], report["lost"], report["unread"]) == (3, [], 0)
    assert exported(base) == exported(ships)


def test_a_file_that_was_cut_gives_what_its_pages_hold(base: Path) -> None:
    path = base / DATABASE_NAME
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 3 // 4])
    report = repaired(base)
    assert report["faults"][0].startswith(DATABASE_NAME)
    assert report["documents"] + len(report["lost"]) == 3


def test_reports_that_were_paid_for_are_there_for_the_next_communities(base: Path) -> None:
    with written(base) as connection:
        connection.execute("UPDATE documents SET content_hash = 'x' WHERE id = ?", (YARD,))
    repaired(base)
    with Hoptrail.open(base, settings=hashing_settings()) as hoptrail:
        levels = hoptrail.communities(extractive=True)["levels"]
    assert sum(level["reused"] for level in levels) > 0
    assert sum(level["made"] for level in levels) == 0


def test_conversations_are_kept_as_far_as_they_can_be_read(base: Path) -> None:
    path = base / "threads.sqlite"
    path.write_bytes(path.read_bytes()[:50])
    report = repaired(base)
    assert report["unreadable"] == ["threads.sqlite"]
    assert report["documents"] == 3
    with Hoptrail.open(base, settings=hashing_settings(), preset="offline") as hoptrail:
        assert not hoptrail.threads()
        assert hoptrail.ask(QUESTION, thread_id="new").text == "Edda Thorn"


def test_the_files_as_they_were_are_set_aside(base: Path) -> None:
    with written(base) as connection:
        connection.execute("UPDATE documents SET content_hash = 'x' WHERE id = ?", (YARD,))
    before = (base / DATABASE_NAME).read_bytes()
    report = repaired(base)
    assert Path(report["set_aside"], DATABASE_NAME).read_bytes() == before
    assert not list(base.glob(".hoptrail-*"))


def test_nothing_is_changed_where_nothing_is_wrong(base: Path) -> None:
    before = (base / DATABASE_NAME).read_bytes()
    report = repaired(base)
    assert (report["faults"], report["documents"], report["set_aside"]) == ([], 3, None)
    assert (base / DATABASE_NAME).read_bytes() == before


def test_a_dry_run_only_tells(base: Path) -> None:
    with written(base) as connection:
        connection.execute("UPDATE documents SET content_hash = 'x' WHERE id = ?", (YARD,))
    before = (base / DATABASE_NAME).read_bytes()
    assert repaired(base, dry_run=True)["faults"] == [
        f"{DATABASE_NAME}: the text of {YARD} is not the one that was indexed"
    ]
    assert (base / DATABASE_NAME).read_bytes() == before


def test_a_repair_that_was_stopped_before_the_graph_goes_on(base: Path, ships: Path) -> None:
    with written(base) as connection:
        connection.execute("DELETE FROM relations")
        connection.execute("DELETE FROM entities")
        connection.execute("DELETE FROM entity_names")
        connection.execute("UPDATE meta SET value = '0' WHERE key = 'generation'")
        connection.execute("DELETE FROM meta WHERE key = 'derived_by'")
    shutil.rmtree(base / "cache")
    repaired(base)
    assert exported(base) == exported(ships)


def test_what_is_no_database_cannot_be_repaired(base: Path) -> None:
    (base / DATABASE_NAME).write_bytes(b"no database " * 1000)
    with pytest.raises(KnowledgeBaseError, match="cannot be repaired") as caught:
        repaired(base)
    assert "restore a backup" in caught.value.hint


def test_a_base_that_is_written_is_not_repaired_meanwhile(base: Path) -> None:
    with (
        Hoptrail.open(base, writable=True, settings=hashing_settings()),
        pytest.raises(KnowledgeBaseLockedError),
    ):
        repaired(base)
