from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.types import Community, Entity, Finding, NodeUsage, Relation
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.community_table import ClusteringRecord, own_members_with
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.testing import HashingEmbedder

CITIES = Community("c", 0, size=4)
COAST = Community("c1", 1, parent="c", size=2, entity_ids=("e1", "e2"))
INLAND = Community("c2", 1, parent="c", size=2, entity_ids=("e3", "e4"))
ALONE = Community("d", 0, size=1, entity_ids=("e5",))
TREE = [CITIES, COAST, INLAND, ALONE]
KEYS = {"c": "kc", "c1": "k1", "c2": "k2", "d": "kd"}
REPORT = Community(
    "", 0, "The coast", "Two ports trade.", 7.5, "trade", (Finding("Salt", "", ("r1",), ("p1",)),)
)
CLUSTERED = Community("c", 0, entity_ids=("e1", "é2"))
RECORD = ClusteringRecord(
    content="hash",
    seed=7,
    entity_ids=["e1", "é2"],
    cluster_of=np.array([1, -1], dtype=np.int32),
    degrees=np.array([2.5, 0.0], dtype=np.float32),
    parent=np.array([-1, 0], dtype=np.int32),
    whole_up_to=np.array([10, 12], dtype=np.int32),
    least=3,
)


@pytest.fixture
def graph(kb: KnowledgeBase) -> KnowledgeBase:
    """A graph of five entities and one relation with the communities TREE."""
    entities = [Entity(f"e{i}", f"Name {i}") for i in range(1, 6)]
    kb.replace_graph(entities, [Relation("r1", "e1", "near", "e2")], [])
    kb.replace_communities(TREE, KEYS)
    return kb


def test_the_members_of_a_community_are_those_of_its_children(graph: KnowledgeBase) -> None:
    found = graph.store.communities(["c", "nobody", "d"])
    assert [community.id for community in found] == ["c", "d"]
    assert found[0].entity_ids == ("e1", "e2", "e3", "e4")
    assert found[1] == ALONE


def test_members_may_be_listed_on_every_level(graph: KnowledgeBase) -> None:
    listed = Community("c", 0, size=5, entity_ids=("e1", "e2", "e3", "e4", "e5"))
    graph.replace_communities([listed, COAST, INLAND], {**KEYS, "c": "other"})
    assert graph.store.communities(["c"])[0].entity_ids == listed.entity_ids
    assert graph.store.communities(["c"], members=False)[0].entity_ids == ()


def test_the_same_hierarchy_again_changes_nothing(graph: KnowledgeBase) -> None:
    assert not graph.replace_communities(TREE[::-1], KEYS)
    assert graph.replace_communities(TREE[1:], KEYS)


def test_a_report_is_found_by_the_content_of_its_community(graph: KnowledgeBase) -> None:
    graph.put_report("k1", REPORT, maker="m", usage=NodeUsage(1, 10, 5))
    assert graph.report_keys("m") == graph.report_keys() == {"k1"}
    assert graph.report_keys("another") == set()
    moved = Community("c9", 0, size=2, entity_ids=COAST.entity_ids)
    graph.replace_communities([moved], {"c9": "k1"})
    (found,) = graph.communities(0)
    assert (found.id, found.title, found.findings) == ("c9", "The coast", REPORT.findings)
    assert (found.rating, found.rating_reason, found.entity_ids) == (7.5, "trade", ())


def test_reports_outlive_their_community_until_they_are_pruned(graph: KnowledgeBase) -> None:
    graph.put_report("k1", REPORT, maker="m", usage=NodeUsage())
    graph.replace_communities([ALONE], KEYS)
    assert graph.report_keys() == {"k1"}
    assert graph.prune_reports() == 1
    assert graph.report_keys() == set()


def test_half_a_surrogate_pair_in_a_report_is_replaced(graph: KnowledgeBase) -> None:
    broken = Community("", 0, "The \ud83d coast", "ports")
    graph.put_report("k1", broken, maker="m", usage=NodeUsage())
    assert graph.store.communities(["c1"])[0].title == "The ? coast"


def test_levels_tell_what_is_reported_and_stale(graph: KnowledgeBase) -> None:
    graph.put_report("k1", REPORT, maker="m", usage=NodeUsage())
    graph.mark_communities(["c2", "c"], stale=True)
    told = [level.to_json() for level in graph.community_levels()]
    assert told == [
        {"level": 0, "communities": 2, "reported": 0, "stale": 1},
        {"level": 1, "communities": 2, "reported": 1, "stale": 1},
    ]
    assert graph.hierarchy() == {"": ("c", "d"), "c": ("c1", "c2")}
    assert graph.community_keys() == KEYS


def test_a_changed_graph_makes_the_communities_stale(graph: KnowledgeBase) -> None:
    assert not graph.communities_stale
    graph.replace_graph([Entity("e1", "Name 1")], [], [])
    assert graph.info()["communities"] == {
        "levels": 2,
        "communities": 4,
        "reports": 0,
        "stale": True,
    }
    graph.replace_communities([ALONE], KEYS)
    assert not graph.communities_stale


def test_a_graph_without_communities_is_never_stale(kb: KnowledgeBase) -> None:
    kb.replace_graph([Entity("e1", "Name 1")], [], [])
    assert kb.info()["communities"]["stale"] is False


def test_reports_are_searched_by_title_and_summary(
    graph: KnowledgeBase, publish: Callable[[], int], embedder: HashingEmbedder
) -> None:
    graph.put_report("k1", REPORT, maker="m", usage=NodeUsage())
    assert "The coast\nTwo ports trade." in graph.texts_without_vectors()
    publish()
    ids, scores = graph.vectors("report").search(
        embedder.embed(["The coast\nTwo ports trade."])[0], 5
    )
    assert ids.tolist() == ["c1"]
    assert scores.tolist() == [pytest.approx(1, abs=1e-4)]
    assert len(graph.vectors("report")) == 1


def test_the_published_hierarchy_leads_from_entities_to_communities(
    graph: KnowledgeBase, publish: Callable[[], int]
) -> None:
    publish()
    index = graph.community_index
    leaves = index.of_entity[graph.index.entity_rows(["e1", "e3", "e5"])]
    assert index.ids[leaves].tolist() == ["c1", "c2", "d"]
    assert index.ids[index.raised(leaves, 0)].tolist() == ["c", "c", "d"]
    assert index.ids[index.cut(1)].tolist() == ["c1", "c2", "d"]
    assert index.ids[index.parent < 0].tolist() == ["c", "d"]
    assert index.rows(["d", "nobody"]).tolist() == [3, -1]


def test_a_member_that_is_gone_from_the_graph_is_in_no_array(
    graph: KnowledgeBase, publish: Callable[[], int]
) -> None:
    graph.replace_graph([Entity("e5", "Name 5")], [], [])
    publish()
    index = graph.community_index
    assert index.ids[index.of_entity].tolist() == ["d"]


def test_a_base_without_communities_has_an_empty_hierarchy(
    kb: KnowledgeBase, publish: Callable[[], int]
) -> None:
    kb.replace_graph([Entity("e1", "Name 1")], [], [])
    publish()
    index = kb.community_index
    assert index.of_entity.tolist() == [-1]
    assert index.raised(index.of_entity, 0).tolist() == [-1]
    assert len(index.cut(0)) == len(index.ids) == len(kb.vectors("report")) == 0
    nearest, _ = kb.vectors("report").search(np.ones(kb.embedder.dim, dtype=np.float32), 3)
    assert len(nearest) == 0


def test_a_base_of_the_second_format_is_read_and_gets_the_tables_when_written(
    folder: Path, embedder: HashingEmbedder
) -> None:
    KnowledgeBase.open(folder, embedder=embedder, create=True).close()
    connection = sqlite3.connect(folder / DATABASE_NAME)
    for table in ("communities", "community_reports", "clustering"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with KnowledgeBase.open(folder) as old:
        assert old.info()["communities"]["levels"] == 0
        assert (old.communities(), old.hierarchy(), old.report_keys()) == ([], {}, set())
        assert old.store.communities(["c"]) == []
        assert len(old.community_index.ids) == 0
    with KnowledgeBase.open(folder, writable=True) as upgraded:
        assert upgraded.replace_communities(TREE, KEYS)
        assert len(upgraded.communities()) == len(TREE)


def test_a_record_comes_back_as_it_was_put(kb: KnowledgeBase) -> None:
    assert kb.clustering() is None
    kb.replace_communities([CLUSTERED], {"c": "key"}, record=RECORD)
    found = kb.clustering()
    assert found is not None
    assert (found.content, found.seed, found.least) == ("hash", 7, 3)
    assert found.entity_ids == RECORD.entity_ids
    for name in ("cluster_of", "degrees", "parent", "whole_up_to"):
        np.testing.assert_array_equal(getattr(found, name), getattr(RECORD, name))


def test_a_record_of_nothing_comes_back(kb: KnowledgeBase) -> None:
    none = np.zeros(0, dtype=np.int32)
    empty = ClusteringRecord("", 42, [], none, none.astype(np.float32), none, none, 3)
    kb.replace_communities([], {}, record=empty)
    found = kb.clustering()
    assert found is not None
    assert (found.entity_ids, len(found.parent)) == ([], 0)


def test_another_hierarchy_without_a_record_has_none(kb: KnowledgeBase) -> None:
    kb.replace_communities([CLUSTERED], {"c": "key"}, record=RECORD)
    kb.replace_communities([CLUSTERED], {"c": "key"})
    assert kb.clustering() is not None
    kb.replace_communities([CLUSTERED], {"c": "another"})
    assert kb.clustering() is None


def test_an_adopted_hierarchy_takes_its_reports_along(kb: KnowledgeBase) -> None:
    kb.replace_communities([CLUSTERED], {"c": "given"})
    kb.put_report("given", Community("", 0, "A title"), maker="m", usage=NodeUsage())
    kb.adopt_communities({"c": "key"}, RECORD)
    assert kb.community_keys() == {"c": "key"}
    assert kb.communities()[0].title == "A title"
    assert kb.clustering() is not None


@pytest.mark.parametrize("at_once", [0, 32], ids=["many", "few"])
def test_communities_are_found_by_their_own_members(
    graph: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr("hoptrail.stores.records.community_table._SOUGHT_AT_ONCE", at_once)
    with closing(sqlite3.connect(graph.path / DATABASE_NAME)) as connection:
        found = dict(own_members_with(connection, ["e5", "nobody"]))
        assert found["d"] == ["e5"]
        assert at_once == 0 or list(found) == ["d"]
        assert at_once == 0 or not list(own_members_with(connection, []))
