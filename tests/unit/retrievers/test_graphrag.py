from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.render import report_block
from hoptrail.core.tokens import estimate_tokens
from hoptrail.retrievers.graphrag import ScoredHierarchy, read_sources, select_rows
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.snapshot.graph_index import CommunityIndex
from hoptrail.testing.embedder import HashingEmbedder
from tests.unit.retrievers.communities import FOUNDER, SHIP, report_on_ships

QUESTION = "Where was the Morning Tern built?"
# level 0: a, b, c; a is divided into a1 and a2, a2 into a21; b into b1
IDS = ["a", "a1", "a2", "a21", "b", "b1", "c"]
PARENTS = {"a1": "a", "a2": "a", "a21": "a2", "b1": "b"}
NOTHING = -np.inf


@pytest.fixture(scope="session")
def reported_folder(ships_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reported") / "kb"
    shutil.copytree(ships_folder, folder)
    return report_on_ships(folder)


@pytest.fixture
def reported(reported_folder: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(reported_folder, embedder=HashingEmbedder()) as kb:
        yield kb


def test_the_named_entity_leads_to_its_community_relations_and_passage(
    reported: KnowledgeBase,
) -> None:
    evidence = make_retriever("community", reported, items=1, k=2).retrieve(QUESTION)
    assert evidence.entities[0].item.name == "Morning Tern"
    assert {hit.item.title for hit in evidence.reports} == {"Steamer"}
    assert all("Morning Tern" in (h.item.subject, h.item.object) for h in evidence.relations)
    assert evidence.chunks[0].item.title == "Morning Tern"


def test_a_level_chooses_the_communities_that_are_told_about(reported: KnowledgeBase) -> None:
    evidence = make_retriever("community", reported, items=1, level=0).retrieve(QUESTION)
    assert {hit.item.title for hit in evidence.reports} == {"Shipyard"}


def test_the_community_with_most_of_the_entities_comes_first(reported: KnowledgeBase) -> None:
    question = f"How are {', '.join((*SHIP, FOUNDER[0]))} connected?"
    reports = make_retriever("community", reported, items=1).retrieve(question).reports
    assert [hit.item.title for hit in reports[:2]] == ["Steamer", "Engineer"]
    assert reports[0].score > reports[1].score


def test_reports_keep_to_their_share_of_the_budget(reported: KnowledgeBase) -> None:
    budget, share = 400, 0.1
    retriever = make_retriever("community", reported, budget=budget, report_share=share)
    reports = retriever.retrieve(QUESTION).reports
    assert sum(estimate_tokens(report_block(hit.item)) for hit in reports) <= share * budget
    assert not make_retriever("community", reported, report_share=0).retrieve(QUESTION).reports


def test_an_entity_in_a_community_without_report_counts_for_the_one_above(
    ships_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "kb"
    shutil.copytree(ships_folder, folder)
    report_on_ships(folder)
    with KnowledgeBase.open(folder, embedder=HashingEmbedder(), writable=True) as kb:
        known = kb.store.communities(["yard", "ship", "founder", "rest"])
        keys = {one.id: f"changed {one.id}" for one in known}
        kb.replace_communities(known, {**keys, "yard": "key yard"})
        kb.publish()
        evidence = make_retriever("community", kb, items=1).retrieve(QUESTION)
        assert [hit.item.title for hit in evidence.reports] == ["Shipyard"]


def test_without_communities_the_neighbourhood_and_its_passages_are_left(
    ships: KnowledgeBase,
) -> None:
    evidence = make_retriever("community", ships).retrieve(QUESTION)
    assert evidence.reports == ()
    assert evidence.entities
    assert evidence.chunks


def test_a_bare_graph_gives_its_whole_budget_to_the_graph(bare_graph: KnowledgeBase) -> None:
    evidence = make_retriever("community", bare_graph, budget=60).retrieve(QUESTION)
    assert evidence.relations[0].item.subject == "Morning Tern"
    assert evidence.chunks == ()


def test_sources_of_a_report_are_its_relations_their_ends_and_their_passages(
    reported: KnowledgeBase,
) -> None:
    found = read_sources(reported.store, ["ship", "gone", "ship"])
    assert [hit.item.title for hit in found.reports] == ["Steamer"]
    assert found.reports[0].item.entity_ids == ()
    assert {hit.item.id for hit in found.relations} == set(
        found.reports[0].item.findings[0].relation_ids
    )
    assert "Morning Tern" in {hit.item.title for hit in found.chunks}
    assert "Alder Yard" in {hit.item.name for hit in found.entities}
    assert {hit.provenance for hit in found.relations} == {("ship",)}
    assert {hit.provenance for hit in found.chunks} == {("ship",)}


def hierarchy(relevance: Mapping[str, float]) -> ScoredHierarchy:
    """Return the tree with the relevance of those that have a report."""
    rows = {id_: row for row, id_ in enumerate(IDS)}
    index = CommunityIndex(
        np.array(IDS),
        np.array([len(id_) - 1 for id_ in IDS], dtype=np.int32),
        np.array([rows.get(PARENTS.get(id_, ""), -1) for id_ in IDS], dtype=np.int32),
        np.zeros(0, dtype=np.int32),
    )
    values = np.array([relevance.get(id_, NOTHING) for id_ in IDS], dtype=np.float32)
    return ScoredHierarchy(index, np.isfinite(values), values)


EVEN = {"a": 0.5, "a1": 0.4, "a2": 0.3, "a21": 0.2, "b": 0.4, "b1": 0.1, "c": 0.3}


def test_a_community_below_level_0_without_parent_counts_for_itself_alone() -> None:
    found = hierarchy(EVEN)
    found.communities.parent[IDS.index("b1")] = -1

    assert [IDS[row] for row in select_rows(found, 1, prefilter=False)] == [
        "a1", "b", "a2", "c", "b1"
    ]  # fmt: skip


def selected(
    relevance: Mapping[str, float], level: int | None = None, *, prefilter: bool = False
) -> list[str]:
    rows = select_rows(hierarchy(relevance), level, prefilter=prefilter)
    return [IDS[row] for row in rows.tolist()]


@pytest.mark.parametrize(
    ("level", "read"),
    [
        (0, ["a", "b", "c"]),
        (1, ["a1", "a2", "c", "b1"]),
        (2, ["a1", "c", "a21", "b1"]),
        (9, ["a1", "c", "a21", "b1"]),
    ],
)
def test_a_level_is_read_whole_with_what_is_not_divided_so_far(level: int, read: list[str]) -> None:
    assert selected(EVEN, level) == read


def test_a_community_stands_for_its_subtree_unless_one_below_is_more_relevant() -> None:
    assert selected(EVEN) == ["a", "b", "c"]
    assert selected({**EVEN, "a21": 0.9}) == ["a21", "a1", "b", "c"]


def test_the_prefilter_skips_subtrees_in_which_nothing_is_relevant() -> None:
    relevance = {**EVEN, "a21": 0.9}
    assert selected(relevance, prefilter=True) == ["a21"]
    assert selected(relevance, 0, prefilter=True) == ["a"]
    assert selected(relevance, 2, prefilter=True) == ["a21"]


def test_the_best_report_always_passes_the_prefilter() -> None:
    assert selected(dict.fromkeys(IDS, 0.3), prefilter=True) == ["a", "b", "c"]


def test_a_community_without_report_is_read_through_those_below() -> None:
    silent = {id_: value for id_, value in EVEN.items() if id_ != "a"}
    assert selected(silent) == ["a1", "b", "a2", "c"]
    assert selected({"b1": 0.2}, 0) == []


@pytest.mark.parametrize("level", [None, 0, 3])
def test_without_reports_nothing_is_read(level: int | None) -> None:
    assert selected({}, level) == []
    assert selected({}, level, prefilter=True) == []
