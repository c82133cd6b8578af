from __future__ import annotations

import pytest

from hoptrail.core.render import render
from hoptrail.core.types import Plan
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase

QUESTION = "Where was the founder of the yard that built the Morning Tern born?"


def titles(kb: KnowledgeBase, name: str, question: str = QUESTION, k: int = 3) -> list[str]:
    documents = make_retriever(name, kb, k=k, budget=0).invoke(question)
    return [document.metadata["title"] for document in documents]


@pytest.mark.parametrize("name", ["ket", "ppr", "setwise"])
def test_the_passages_of_the_chain_come_first(ships: KnowledgeBase, name: str) -> None:
    assert set(titles(ships, name)) == {"Morning Tern", "Alder Yard", "Edda Thorn"}


def test_evidence_holds_the_chain_with_hops(ships: KnowledgeBase) -> None:
    evidence = make_retriever("ket", ships).retrieve(QUESTION)
    hops = {hit.item.name: hit.hop for hit in evidence.entities}
    assert (hops["Morning Tern"], hops["Alder Yard"], hops["Edda Thorn"]) == (0, 1, 2)
    assert all(hit.provenance for hit in evidence.relations)


def test_provenance_names_what_led_there(ships: KnowledgeBase) -> None:
    evidence = make_retriever("ket", ships).retrieve(QUESTION)
    known = {hit.item.id for hit in evidence.relations}
    reached = [hit for hit in evidence.entities if hit.hop]
    assert reached
    assert all(set(hit.provenance) <= known for hit in reached)
    thorn = next(hit for hit in evidence.chunks if hit.item.title == "Edda Thorn")
    [entity] = ships.store.entities(thorn.provenance[-1:])
    assert thorn.item.id in entity.chunk_ids


def test_channels_are_named(ships: KnowledgeBase) -> None:
    chunks = make_retriever("ket", ships).retrieve(QUESTION).chunks
    assert {hit.channel for hit in chunks} <= {"keyword", "entity", "text"}


@pytest.mark.parametrize("budget", [60, 150, 400])
def test_what_is_collected_fits_the_budget(ships: KnowledgeBase, budget: int) -> None:
    evidence = make_retriever("ket", ships, k=1, budget=budget).retrieve(QUESTION)
    whole = render(evidence, 100_000)
    headings_and_first_passage = 60
    assert whole.tokens <= budget + headings_and_first_passage


def test_theta_moves_the_budget_between_graph_and_words(ships: KnowledgeBase) -> None:
    none, all_ = (
        make_retriever("ket", ships, k=1, budget=300, theta=theta).retrieve(QUESTION)
        for theta in (0.0, 1.0)
    )
    assert not none.relations
    assert not none.entities
    assert all_.relations


def test_a_plan_adds_names_to_start_from(ships: KnowledgeBase) -> None:
    question = "What do people do in the cold season?"
    plan = Plan(entities=("Lantern Week", "no such name"))
    evidence = make_retriever("ket", ships).retrieve(question, plan)
    assert {hit.item.name for hit in evidence.entities if hit.hop == 0} == {"Lantern Week"}


def test_text_without_a_graph_is_ranked_by_similarity(text_alone: KnowledgeBase) -> None:
    evidence = make_retriever("ket", text_alone).retrieve(QUESTION)
    assert not evidence.entities
    assert not evidence.relations
    assert titles(text_alone, "ket", k=9) == titles(text_alone, "vector", k=9)


def test_a_bare_graph_gives_its_relations(bare_graph: KnowledgeBase) -> None:
    evidence = make_retriever("ket", bare_graph).retrieve("Who founded what built Morning Tern?")
    hops = {hit.item.predicate: hit.hop for hit in evidence.relations}
    assert not evidence.chunks
    assert (hops["built at"], hops["founded by"]) == (0, 1)


def test_documents_of_a_bare_graph_are_relations(bare_graph: KnowledgeBase) -> None:
    documents = make_retriever("ket", bare_graph, k=2).invoke("Morning Tern")
    told = {document.page_content for document in documents}
    assert told == {"Morning Tern built at Alder Yard", "Alder Yard founded by Edda Thorn"}


@pytest.mark.parametrize("name", ["bm25", "vector"])
def test_passage_retrievers_find_nothing_in_a_bare_graph(
    bare_graph: KnowledgeBase, name: str
) -> None:
    assert make_retriever(name, bare_graph).retrieve("Morning Tern").is_empty
