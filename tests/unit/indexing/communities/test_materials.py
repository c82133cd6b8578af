from __future__ import annotations

import pytest

from hoptrail.agents.community_reports.report_statements import ReportMaterial
from hoptrail.core.types import Community
from hoptrail.indexing.communities.materials import LevelMaterials
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests import regions


@pytest.fixture
def regional(kb: KnowledgeBase) -> KnowledgeBase:
    regions.store(kb)
    return kb


def materials(kb: KnowledgeBase, level: int, most_relations: int = 100) -> list[ReportMaterial]:
    found = LevelMaterials(
        kb, kb.unpublished_community_index(), level, most_relations=most_relations
    )
    return list(found.of(kb.communities(level), {}))


def test_a_community_has_the_relations_inside_it(regional: KnowledgeBase) -> None:
    by_id = {one.community.id: one for one in materials(regional, 1)}
    assert by_id.keys() == set(regions.TOWNS)
    assert all(r.source.startswith("Bro") for r in by_id["Bro"].relations)
    assert (by_id["Bro"].relation_count, by_id["Bro"].graph_relations) == (6, 27)


def test_relations_come_by_the_combined_degree_of_their_ends(regional: KnowledgeBase) -> None:
    (north, _) = materials(regional, 0)
    assert north.relations[0].id == "Aby-Pier:Bro-Pier"
    assert [entity.id for entity in north.entities[:2]] == ["Aby-Pier", "Bro-Pier"]


def test_only_the_most_important_relations_are_loaded(regional: KnowledgeBase) -> None:
    (north, _) = materials(regional, 0, most_relations=1)
    assert (len(north.relations), north.relation_count) == (1, 13)
    assert {entity.id for entity in north.entities} == {"Aby-Pier", "Bro-Pier"}


def test_a_relation_knows_the_part_that_it_lies_inside_of(regional: KnowledgeBase) -> None:
    (north, _) = materials(regional, 0)
    assert north.child_of["Aby-Mill:Aby-Inn"] == "Aby"
    assert "Aby-Pier:Bro-Pier" not in north.child_of


def test_a_community_that_is_not_divided_has_material_on_its_own_level_only(
    kb: KnowledgeBase,
) -> None:
    regions.store(kb)
    communities, keys = regions.hierarchy()
    members = tuple(f"Cid-{place}" for place in regions.PLACES)
    alone = Community("south", 0, size=4, entity_ids=members)
    kept = [alone, *(one for one in communities if one.parent == "north" or one.id == "north")]
    kb.replace_communities(kept, keys)
    assert [one.relation_count for one in materials(kb, 0)] == [13, 6]
    assert [one.community.id for one in materials(kb, 1)] == ["Aby", "Bro"]


def test_the_reports_of_the_parts_come_largest_first(regional: KnowledgeBase) -> None:
    found = LevelMaterials(regional, regional.unpublished_community_index(), 0, most_relations=10)
    parts = [Community("Aby", 1, "Small", size=4), Community("Bro", 1, "Large", size=9)]
    (north,) = found.of(regional.communities(0)[:1], {"north": parts})
    assert [part.title for part in north.children] == ["Large", "Small"]


def test_an_empty_base_has_no_communities(kb: KnowledgeBase) -> None:
    kb.publish()
    assert materials(kb, 0) == []
