from __future__ import annotations

from collections.abc import Callable

import pytest

from hoptrail.core.types import Community, NodeUsage
from hoptrail.indexing.communities.clustering import cluster
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.unit.indexing.communities.graphs import Pair, groups, publish_graph

OpenKb = Callable[[str], KnowledgeBase]
GRAPH = groups(12)
NEWCOMER: list[Pair] = [("b9", "b0"), ("b9", "b1"), ("b8", "b9")]


def tables(kb: KnowledgeBase) -> tuple[list[Community], dict[str, str]]:
    communities = kb.communities()
    return kb.store.communities([community.id for community in communities]), kb.community_keys()


def members(kb: KnowledgeBase) -> list[set[str]]:
    return [set(community.entity_ids) for community in tables(kb)[0]]


@pytest.fixture
def clustered(kb: KnowledgeBase) -> KnowledgeBase:
    publish_graph(kb, GRAPH)
    cluster(kb)
    return kb


def test_groups_of_entities_are_communities(clustered: KnowledgeBase) -> None:
    found = members(clustered)
    for group in "abcdefghijkl":
        assert any({f"{group}{place}" for place in range(4)} <= community for community in found)
    assert {community.level for community in clustered.communities(0)} == {0}


def test_the_members_of_a_community_are_those_of_its_children(clustered: KnowledgeBase) -> None:
    found = {community.id: community for community in tables(clustered)[0]}
    for parent, children in clustered.hierarchy().items():
        if parent:
            joined = [id_ for child in children for id_ in found[child].entity_ids]
            assert sorted(joined) == list(found[parent].entity_ids)
            assert all(found[child].level == found[parent].level + 1 for child in children)
    assert all(community.size == len(community.entity_ids) for community in found.values())


def test_the_order_of_indexing_does_not_matter(clustered: KnowledgeBase, open_kb: OpenKb) -> None:
    other = open_kb("other")
    for pairs in (GRAPH[30:], GRAPH[::-1]):
        publish_graph(other, pairs)
    assert cluster(other).is_new
    assert tables(other) == tables(clustered)


def test_an_unchanged_graph_is_not_clustered_again(clustered: KnowledgeBase) -> None:
    clustered.publish()
    before = clustered.generation
    found = cluster(clustered)
    assert (found.changed, found.kept) == (0, len(clustered.communities()))
    assert clustered.publish() == before


def test_a_new_entity_changes_its_own_communities_alone(clustered: KnowledgeBase) -> None:
    before = clustered.community_keys()
    publish_graph(clustered, GRAPH + NEWCOMER)
    found = cluster(clustered)
    assert not found.is_new
    changed = set(clustered.community_keys().items()) - set(before.items())
    assert found.changed == len(changed) > 0
    for community in clustered.store.communities([id_ for id_, _ in changed]):
        assert "b9" in community.entity_ids


def test_what_was_before_comes_back(clustered: KnowledgeBase) -> None:
    before = tables(clustered)
    for pairs in (GRAPH + NEWCOMER, GRAPH[:40], GRAPH):
        publish_graph(clustered, pairs)
        cluster(clustered)
    assert tables(clustered) == before


def test_an_entity_without_relations_for_a_while_comes_back(clustered: KnowledgeBase) -> None:
    before = tables(clustered)
    publish_graph(clustered, [pair for pair in GRAPH if "c3" not in pair], alone=["c3"])
    cluster(clustered)
    assert all("c3" not in community for community in members(clustered))
    publish_graph(clustered, GRAPH)
    cluster(clustered)
    assert tables(clustered) == before


def test_reports_serve_again_for_what_comes_back(clustered: KnowledgeBase) -> None:
    for key in clustered.community_keys().values():
        clustered.put_report(key, Community("", 0, f"About {key}"), maker="m", usage=NodeUsage())
    publish_graph(clustered, GRAPH + NEWCOMER)
    cluster(clustered)
    assert any(not community.title for community in clustered.communities())
    publish_graph(clustered, GRAPH)
    cluster(clustered)
    assert all(community.title for community in clustered.communities())


def test_a_rebuilt_hierarchy_is_that_of_a_base_without_a_past(
    kb: KnowledgeBase, open_kb: OpenKb
) -> None:
    publish_graph(kb, GRAPH[:60])
    cluster(kb)
    publish_graph(kb, GRAPH)
    cluster(kb)
    cluster(kb, rebuild=True)
    fresh = open_kb("fresh")
    publish_graph(fresh, GRAPH)
    cluster(fresh)
    assert tables(kb) == tables(fresh)


def test_a_graph_that_has_changed_for_the_most_part_is_clustered_anew(
    clustered: KnowledgeBase,
) -> None:
    publish_graph(clustered, groups(20))
    assert cluster(clustered).is_new


def test_another_seed_clusters_anew(clustered: KnowledgeBase) -> None:
    assert cluster(clustered, seed=7).is_new
    assert not cluster(clustered, seed=7).is_new


def test_a_cluster_that_grows_is_divided_and_whole_again_afterwards(kb: KnowledgeBase) -> None:
    clique = groups(1, size=7)
    others = groups(20)  # what grows is less than a quarter of it
    grown: list[Pair] = [(f"z{place}", f"z{other}") for place in range(7) for other in range(place)]
    base = [*(("y" + one[1], "y" + other[1]) for one, other in clique), *others]
    publish_graph(kb, base)
    cluster(kb)
    before = tables(kb)
    publish_graph(kb, [*base, *grown, *((f"y{place}", f"z{place}") for place in range(7))])
    cluster(kb)
    publish_graph(kb, base)
    cluster(kb)
    assert tables(kb) == before


def test_a_changed_description_changes_the_key_and_not_the_community(
    clustered: KnowledgeBase,
) -> None:
    before = clustered.community_keys()
    publish_graph(clustered, GRAPH, {"c1": "a new description"})
    cluster(clustered)
    after = clustered.community_keys()
    assert before.keys() == after.keys()
    changed = [id_ for id_ in after if after[id_] != before[id_]]
    assert changed
    assert all("c1" in one.entity_ids for one in clustered.store.communities(changed))


def test_a_base_without_relations_has_no_communities(kb: KnowledgeBase) -> None:
    publish_graph(kb, [])
    assert cluster(kb).levels == ()
    publish_graph(kb, GRAPH)
    assert cluster(kb).levels
