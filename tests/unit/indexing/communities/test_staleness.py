from __future__ import annotations

import pytest

from hoptrail.core.types import Community, NodeUsage
from hoptrail.indexing.communities.clustering import cluster
from hoptrail.indexing.communities.staleness import note_changes
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.unit.indexing.communities.graphs import groups, publish_graph

GRAPH = groups(12)


@pytest.fixture
def clustered(kb: KnowledgeBase) -> KnowledgeBase:
    publish_graph(kb, GRAPH)
    cluster(kb)
    kb.publish()
    return kb


def stale(kb: KnowledgeBase) -> int:
    return sum(level.stale for level in kb.community_levels())


def test_a_gone_entity_makes_its_communities_stale(clustered: KnowledgeBase) -> None:
    publish_graph(clustered, [pair for pair in GRAPH if "c3" not in pair])
    assert clustered.communities_stale
    with_it = [c for c in clustered.store.communities(list(clustered.community_keys()))]
    assert stale(clustered) == sum("c3" in community.entity_ids for community in with_it)


def test_a_graph_that_is_as_it_was_is_not_stale(clustered: KnowledgeBase) -> None:
    publish_graph(clustered, GRAPH[1:])
    assert clustered.info()["communities"]["stale"]
    publish_graph(clustered, GRAPH)
    assert not clustered.info()["communities"]["stale"]
    assert stale(clustered) == 0


def test_a_new_entity_makes_the_communities_stale_that_it_may_join(
    clustered: KnowledgeBase,
) -> None:
    publish_graph(clustered, [*GRAPH, ("b9", "b0")])
    assert stale(clustered) == len(clustered.community_levels())


def test_new_entities_apart_make_the_hierarchy_stale(clustered: KnowledgeBase) -> None:
    publish_graph(clustered, [*GRAPH, ("x", "y"), ("y", "z"), ("x", "z")])
    assert clustered.communities_stale
    assert stale(clustered) == 0


def test_nothing_is_stale_once_it_is_clustered(clustered: KnowledgeBase) -> None:
    publish_graph(clustered, GRAPH[1:])
    cluster(clustered)
    assert not clustered.communities_stale
    assert stale(clustered) == 0


@pytest.fixture
def imported(kb: KnowledgeBase) -> KnowledgeBase:
    """A base whose hierarchy came from elsewhere, with a report on each community."""
    publish_graph(kb, GRAPH)
    names = sorted({name for pair in GRAPH for name in pair})
    communities = [
        Community("all", 0, size=len(names), entity_ids=tuple(names)),
        Community("pair", 1, parent="all", size=2, entity_ids=("a0", "a1")),
        Community("more", 1, parent="all", size=20, entity_ids=tuple(names[2:22])),
    ]
    keys = {community.id: f"given {community.id}" for community in communities}
    kb.replace_communities(communities, keys)
    for community in communities:
        report = Community("", 0, f"About {community.id}")
        kb.put_report(keys[community.id], report, maker="import", usage=NodeUsage())
    kb.publish()
    note_changes(kb)
    return kb


def test_an_imported_hierarchy_stays_with_its_reports(imported: KnowledgeBase) -> None:
    assert cluster(imported).changed == 0
    titles = {community.id: community.title for community in imported.communities()}
    assert titles == {"all": "About all", "more": "About more", "pair": "About pair"}


def test_later_changes_are_clustered_from_an_imported_hierarchy(imported: KnowledgeBase) -> None:
    publish_graph(imported, [*GRAPH, ("a0", "new"), ("a1", "new")])
    assert imported.communities_stale
    found = cluster(imported)
    assert not found.is_new
    by_title = {community.title: community for community in imported.communities()}
    assert by_title["About more"].size == 20
    (pair,) = [
        c for c in imported.store.communities(list(imported.community_keys())) if c.size == 3
    ]
    assert pair.entity_ids == ("a0", "a1", "new")
