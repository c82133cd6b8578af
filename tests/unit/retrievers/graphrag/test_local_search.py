from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail.core.render import report_block
from hoptrail.core.tokens import estimate_tokens
from hoptrail.retrievers.graphrag.report_sources import read_sources
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.unit.retrievers.communities import FOUNDER, SHIP, report_on_ships

QUESTION = "Where was the Morning Tern built?"


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
