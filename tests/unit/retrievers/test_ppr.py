from __future__ import annotations

import numpy as np

from hoptrail.retrievers.ppr import EntityPassageGraph
from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.views import view_of

QUESTION = "Where was the founder of the yard that built the Morning Tern born?"


def test_named_entities_are_at_hop_zero(ships: KnowledgeBase) -> None:
    evidence = make_retriever("ppr", ships).retrieve(QUESTION)
    assert {hit.item.name for hit in evidence.entities if hit.hop == 0} == {"Morning Tern"}


def test_a_bare_graph_gives_entities_and_relations(bare_graph: KnowledgeBase) -> None:
    evidence = make_retriever("ppr", bare_graph).retrieve("Who founded what built Morning Tern?")
    assert not evidence.chunks
    assert len(evidence.relations) == 4
    assert {hit.item.name for hit in evidence.entities[:2]} == {"Morning Tern", "Alder Yard"}


def test_every_mention_and_relation_is_an_edge_in_both_directions(ships: KnowledgeBase) -> None:
    view = view_of(ships)
    graph = EntityPassageGraph.of(view)
    mentions = len(view.index.entity_chunks.indices)
    edges = mentions + len(view.index.relation_ids)
    assert np.bincount(graph.edges, minlength=edges).tolist() == [2] * edges
    rows = np.repeat(np.arange(len(graph.indptr) - 1), np.diff(graph.indptr))
    pairs = set(zip(rows.tolist(), graph.indices.tolist(), strict=True))
    assert pairs == {(right, left) for left, right in pairs}


def test_arrivals_are_what_came_over_an_edge(ships: KnowledgeBase) -> None:
    view = view_of(ships)
    entities, passages = len(view.index.entity_ids), len(view.index.chunk_ids)
    start = np.zeros(entities + passages, dtype=np.float32)
    start[entities:] = 1.0
    no_edges = np.empty(0, dtype=np.int32)
    alone = EntityPassageGraph.joining(no_edges, no_edges, no_edges, entities, passages)
    similar = np.ones(passages, dtype=np.float32)

    for graph, is_linked in ((alone, False), (EntityPassageGraph.of(view), True)):
        relations = np.ones(len(view.index.relation_ids) if is_linked else 0, dtype=np.float32)
        _, visits = graph.ranks(start, similar, relations, damping=0.5, tolerance=1e-9)
        _, arrived = graph.ranks(
            start, similar, relations, damping=0.5, tolerance=1e-9, arrivals=True
        )
        assert visits.max() == 1.0
        assert bool(arrived.max() > 0) is is_linked
