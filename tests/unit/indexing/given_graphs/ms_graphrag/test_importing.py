"""Index folders of Microsoft GraphRAG in a knowledge base."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.errors import InputError, MissingExtraError, NothingIndexedError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Community, Document
from hoptrail.indexing.communities.clustering import cluster
from hoptrail.indexing.given_graphs.ms_graphrag.graph import entity_id, relation_id
from hoptrail.indexing.given_graphs.ms_graphrag.importing import PlacedText, place_texts, read_index
from hoptrail.indexing.given_graphs.ms_graphrag.records import GivenDocument, GivenIndex, TextUnit
from hoptrail.indexing.loading.files import is_index_folder
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.models.chat import register_chat_model
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import ScriptedChatModel

Tables = dict[str, list[dict[str, Any]]]
WriteIndex = Callable[..., Path]
Export = Callable[[KnowledgeBase], str]
NLP = IndexOptions(extractor="nlp")

TEXT = "One. Two. One. Three."


def reports(kb: KnowledgeBase) -> dict[str, Community]:
    return {community.title: community for community in kb.communities()}


@pytest.fixture
def folder(given: Tables, write_index: WriteIndex) -> Path:
    return write_index(given)


def test_the_run_tells_what_was_imported(kb: KnowledgeBase, folder: Path) -> None:
    report = Indexer(kb).index([folder])
    assert (report.documents.added, report.chunks, report.entities, report.relations) == (
        1, 2, 4, 3
    )  # fmt: skip
    (imported,) = report.imported
    assert (imported.untyped_entities, imported.incomplete_relations) == (1, 1)
    assert (imported.communities, imported.reports) == (2, 2)


@pytest.mark.parametrize(("community", "parent"), [(0, 0), (0, 1), (1, 1), (1, 99)])
def test_a_parent_that_is_not_above_is_none(
    kb: KnowledgeBase, given: Tables, write_index: WriteIndex, community: int, parent: int
) -> None:
    given["communities"][community]["parent"] = parent
    Indexer(kb).index([write_index(given)])

    coast = reports(kb)["The coast"]
    assert coast.parent is None
    assert reports(kb)["The rower"].parent == (coast.id if community == 0 else None)


@pytest.mark.parametrize("level", [-1, 10**12])
def test_a_level_that_is_none_is_told(
    kb: KnowledgeBase, given: Tables, write_index: WriteIndex, level: int
) -> None:
    given["communities"][1]["level"] = level
    with pytest.raises(NothingIndexedError, match=f"level {level}"):
        Indexer(kb).index([write_index(given)])


def test_names_that_differ_by_an_article_stay_apart(kb: KnowledgeBase, folder: Path) -> None:
    Indexer(kb).index([folder])
    found = kb.store.entities(kb.store.find_entities(["harbour"])["harbour"])
    assert {(one.name, one.description) for one in found} == {
        ("HARBOUR", "Where Mira rows."), ("THE HARBOUR", "An empty place.")
    }  # fmt: skip


def test_a_relation_keeps_its_description_and_weight(kb: KnowledgeBase, folder: Path) -> None:
    Indexer(kb).index([folder])
    (relation,) = kb.store.relations([relation_id("MIRA", "HARBOUR")])
    assert relation.text == "Mira rows to the harbour."
    assert relation.weight == 8.0
    assert len(relation.chunk_ids) == 2


def test_an_entity_that_only_a_relation_names_has_no_type(kb: KnowledgeBase, folder: Path) -> None:
    Indexer(kb).index([folder])
    (lighthouse,) = kb.store.entities([entity_id("LIGHTHOUSE")])
    assert (lighthouse.type, len(lighthouse.chunk_ids)) == ("", 1)


def test_communities_keep_their_hierarchy_and_members(kb: KnowledgeBase, folder: Path) -> None:
    Indexer(kb).index([folder])
    coast, rower = reports(kb)["The coast"], reports(kb)["The rower"]
    assert (coast.level, coast.parent, rower.level, rower.parent) == (0, None, 1, coast.id)
    (with_members,) = kb.store.communities([rower.id])
    assert set(with_members.entity_ids) == {entity_id("MIRA"), entity_id("HARBOUR")}


def test_findings_rest_on_relations_and_passages_instead_of_numbers(
    kb: KnowledgeBase, folder: Path
) -> None:
    Indexer(kb).index([folder])
    (finding,) = reports(kb)["The rower"].findings
    assert finding.explanation == "Mira rows."
    assert finding.relation_ids == (relation_id("MIRA", "HARBOUR"),)
    assert {chunk.doc_id for chunk in kb.store.chunks(finding.chunk_ids)} == {"output/d1"}


def test_reports_have_vectors(kb: KnowledgeBase, folder: Path) -> None:
    Indexer(kb).index([folder])
    ids, _ = kb.vectors("report").search(kb.embed_query("the rower in short"), 1)
    assert ids.tolist() == [reports(kb)["The rower"].id]


def test_importing_again_changes_nothing(kb: KnowledgeBase, folder: Path, exported: Export) -> None:
    Indexer(kb).index([folder])
    before, generation = exported(kb), kb.generation
    report = Indexer(kb).index([folder], NLP)
    assert report.documents.unchanged == 1
    assert (exported(kb), kb.generation) == (before, generation)


def test_clustering_leaves_imported_communities_alone(kb: KnowledgeBase, folder: Path) -> None:
    Indexer(kb).index([folder])
    before = kb.communities()
    assert cluster(kb).changed == 0
    assert kb.communities() == before


def test_a_community_that_the_index_has_no_more_is_gone(
    kb: KnowledgeBase, given: Tables, write_index: WriteIndex
) -> None:
    Indexer(kb).index([write_index(given)])
    del given["communities"][1], given["community_reports"][1]
    Indexer(kb).index([write_index(given)])
    assert reports(kb).keys() == {"The coast"}


def test_imported_passages_are_not_read_again(kb: KnowledgeBase, folder: Path) -> None:
    Indexer(kb).index([folder], NLP)
    Indexer(kb).index([], NLP)
    assert [row["name"] for row in kb.info()["extractors"]] == ["ms-graphrag"]


def test_a_forecast_counts_the_passages(kb: KnowledgeBase, folder: Path) -> None:
    forecast = Indexer(kb).forecast([folder], NLP)
    assert (forecast.chunks, forecast.calls) == (2, 0)


def test_what_other_documents_say_joins_the_entity_of_that_name(
    kb: KnowledgeBase, folder: Path
) -> None:
    log = Document("log/1", "Mira", "Mira met Tom Hale in Port Sand.", "log")
    Indexer(kb).index([folder, log], NLP)
    (mira,) = kb.store.find_entities(["Mira"])["Mira"]
    assert mira == entity_id("MIRA")
    (entity,) = kb.store.entities([mira])
    assert {chunk.doc_id for chunk in kb.store.chunks(entity.chunk_ids)} == {"output/d1", "log/1"}


def test_deleting_the_document_takes_its_graph_along(kb: KnowledgeBase, folder: Path) -> None:
    Indexer(kb).index([folder])
    Indexer(kb).delete(["output/d1"])
    assert (kb.counts()["entities"], kb.counts()["relations"]) == (0, 0)
    assert kb.communities_stale


def test_a_second_index_leaves_the_communities_of_the_first(
    kb: KnowledgeBase, given: Tables, write_index: WriteIndex
) -> None:
    Indexer(kb).index([write_index(given)])
    for row in given["entities"]:
        row["title"] += " II"
    for row in given["relationships"]:
        row["source"], row["target"] = f"{row['source']} II", f"{row['target']} II"
    given["documents"][0]["id"] = "d2"
    for row in given["text_units"]:
        row["document_ids"] = ["d2"]
    Indexer(kb).index([write_index(given, "second")])
    levels = kb.community_levels()
    assert [(level.communities, level.reported) for level in levels] == [(2, 2), (2, 2)]
    found = kb.store.communities([community.id for community in kb.communities(1)])
    assert [len(community.entity_ids) for community in found] == [2, 2]


def test_a_changed_index_replaces_its_communities(
    kb: KnowledgeBase, given: Tables, write_index: WriteIndex
) -> None:
    Indexer(kb).index([write_index(given)])
    given["communities"][0]["entity_ids"] = ["e0", "e1"]
    given["community_reports"][1]["summary"] = "Another summary."
    Indexer(kb).index([write_index(given)])
    assert kb.info()["communities"]["communities"] == 2
    assert reports(kb)["The rower"].summary == "Another summary."


def test_a_folder_that_cannot_be_used_says_why(
    kb: KnowledgeBase, given: Tables, write_index: WriteIndex
) -> None:
    del given["documents"]
    with pytest.raises(NothingIndexedError, match="output: no table 'documents'"):
        Indexer(kb).index([write_index(given)])


def test_an_index_inside_a_folder_of_documents_is_not_read_as_text(
    kb: KnowledgeBase, folder: Path
) -> None:
    (folder.parent / "note.txt").write_text("Port Sand is a town.")
    report = Indexer(kb).index([folder.parent], NLP)
    assert report.documents.added == 1
    assert [Path(skipped.path) for skipped in report.skipped] == [folder]


def test_a_model_is_not_asked_to_merge_what_the_index_keeps_apart(
    kb: KnowledgeBase, given: Tables, write_index: WriteIndex
) -> None:
    register_chat_model("scripted-consolidation", ScriptedChatModel())
    keeper = given["entities"][0]
    given["entities"].append({**keeper, "id": "e3", "title": "OLD MIRA"})
    Indexer(kb).index([write_index(given)])
    indexer = Indexer(kb, settings=Settings(model="scripted-consolidation"))
    assert indexer.forecast_consolidation().calls == 0


def place(text: str, *units: str) -> PlacedText:
    listed = [TextUnit(f"u{i}", i, unit, ("d",)) for i, unit in enumerate(units)]
    index = GivenIndex([GivenDocument("d", "numbers.txt", text)], listed, [], [], [], [])
    (placed,) = place_texts(index, "out", "out")
    return placed


def spans(placed: PlacedText) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in placed.chunks]


def test_units_that_overlap_keep_their_places() -> None:
    placed = place(TEXT, "One. Two.", "Two. One.", "One. Three.")
    assert spans(placed) == [(0, 9), (5, 14), (10, 21)]
    assert all(placed.document.text[c.start : c.end] == c.text for c in placed.chunks)


def test_a_repeated_text_stands_behind_the_unit_before_it() -> None:
    assert spans(place(TEXT, "One.", "Two.", "One.")) == [(0, 4), (5, 9), (10, 14)]


def test_metadata_before_a_unit_is_no_part_of_it() -> None:
    placed = place(TEXT, "title: numbers.txt.\nauthor: A. B..\nTwo. One.")
    assert spans(placed) == [(5, 14)]


def test_a_character_that_was_cut_through_is_left_out() -> None:
    assert spans(place("Añ b", "A\ufffd", "\ufffd b")) == [(0, 1), (3, 4)]


def test_a_document_without_its_units_is_made_of_them() -> None:
    placed = place("", "One.", "Two.")
    assert placed.document.text == "One.\n\nTwo."
    assert [chunk.text for chunk in placed.chunks] == ["One.", "Two."]


def renamed(rows: list[dict[str, Any]], **names: str) -> list[dict[str, Any]]:
    return [{names.get(key, key): value for key, value in row.items()} for row in rows]


def as_of_version_0_3(given: Tables) -> Tables:
    """The same index as the first versions wrote it: other names, members in a table of nodes."""
    communities = [
        {"id": str(row["community"]), "level": row["level"], "title": row["title"]}
        for row in given["communities"]
    ]
    titles = {row["id"]: row["title"] for row in given["entities"]}
    nodes = [
        {"title": titles[entity], "level": row["level"], "community": str(row["community"])}
        for row in given["communities"]
        for entity in row["entity_ids"]
    ]
    return {
        "documents": renamed(given["documents"], text="raw_content"),
        "text_units": [
            {key: value for key, value in row.items() if key != "human_readable_id"}
            for row in given["text_units"]
        ],
        "entities": renamed(given["entities"], title="name"),
        "relationships": given["relationships"],
        "communities": communities,
        "community_reports": renamed(
            given["community_reports"], rating_explanation="rank_explanation"
        ),
        "nodes": nodes,
    }


def write_parquet(given: Tables, folder: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    folder.mkdir()
    for table, rows in given.items():
        parquet.write_table(arrow.Table.from_pylist(rows), folder / f"{table}.parquet")


def test_a_folder_of_other_files_is_no_index(tmp_path: Path) -> None:
    (tmp_path / "entities.jsonl").write_text("{}\n")
    assert not is_index_folder(tmp_path)
    assert not is_index_folder(tmp_path / "nowhere")


def test_the_first_versions_give_the_same_index(given: Tables, write_index: WriteIndex) -> None:
    early = write_index(as_of_version_0_3(given), "early", "create_final_")
    assert is_index_folder(early)
    assert read_index(early) == read_index(write_index(given))


def test_parquet_files_give_the_same_index(
    given: Tables, write_index: WriteIndex, tmp_path: Path
) -> None:
    write_parquet(given, tmp_path / "parquet")
    assert is_index_folder(tmp_path / "parquet")
    assert read_index(tmp_path / "parquet") == read_index(write_index(given))


def test_a_damaged_parquet_file_is_named(given: Tables, tmp_path: Path) -> None:
    write_parquet(given, tmp_path / "parquet")
    (tmp_path / "parquet" / "entities.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(InputError, match="entities.parquet: not a readable Parquet file"):
        read_index(tmp_path / "parquet")


def test_without_a_reader_of_parquet_the_extra_is_named(
    given: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_parquet(given, tmp_path / "parquet")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError) as caught:
        read_index(tmp_path / "parquet")
    assert caught.value.hint == 'pip install "hoptrail[graphrag]"'


def test_a_missing_table_is_named(given: Tables, write_index: WriteIndex) -> None:
    del given["text_units"]
    with pytest.raises(InputError, match="no table 'text_units'"):
        read_index(write_index(given))


def test_a_missing_column_is_named_with_its_file(given: Tables, write_index: WriteIndex) -> None:
    given["relationships"] = renamed(given["relationships"], source="from")
    with pytest.raises(InputError, match="relationships.jsonl: no column 'source'"):
        read_index(write_index(given))


def test_a_malformed_line_is_named(given: Tables, write_index: WriteIndex) -> None:
    folder = write_index(given)
    with (folder / "entities.jsonl").open("a") as stream:
        stream.write("{oops\n")
    with pytest.raises(InputError, match="entities.jsonl: line 4: malformed JSON"):
        read_index(folder)


def test_an_index_without_communities_is_one(given: Tables, write_index: WriteIndex) -> None:
    del given["communities"], given["community_reports"]
    assert read_index(write_index(given)).communities == []


def test_reports_without_their_communities_are_an_error(
    given: Tables, write_index: WriteIndex
) -> None:
    del given["communities"]
    with pytest.raises(InputError, match="no table 'communities'"):
        read_index(write_index(given))
