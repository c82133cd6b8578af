from __future__ import annotations

import numpy as np
import pytest

from hoptrail.core.types import Relation
from hoptrail.retrievers.multistage.edge_strings import (
    edge_similarities,
    edge_string,
    factored_similarities,
)
from hoptrail.stores.knowledge_base import KnowledgeBase
from tests.views import view_of


@pytest.mark.parametrize(
    ("subject", "predicate", "object_", "expected"),
    [
        ("Alder Yard", "founded_by", "Edda Thorn", "Alder Yard founded by Edda Thorn"),
        ("m.0abc", "film.performance.actor", "Edda Thorn", "film performance actor Edda Thorn"),
        ("Alder Yard", "owner", "", "Alder Yard owner"),
    ],
)
def test_ends_without_a_name_are_left_out(
    subject: str, predicate: str, object_: str, expected: str
) -> None:
    relation = Relation("r", "s", predicate, "t", subject=subject, object=object_)
    assert edge_string(relation) == expected


def test_edges_of_a_bare_graph_are_read_with_their_ends(bare_graph: KnowledgeBase) -> None:
    view = view_of(bare_graph)
    question = bare_graph.embed_query("Edda Thorn born in Brackenholm")
    rows = np.arange(len(view.index.relation_ids), dtype=np.int32)
    found = edge_similarities(bare_graph, view, question, rows)
    best = view.store.relations([str(view.index.relation_ids[found.argmax()])])[0]
    assert (best.subject, best.object) == ("Edda Thorn", "Brackenholm")
    assert found.max() == pytest.approx(1.0, abs=1e-5)


def test_relations_with_a_text_keep_their_vectors(ships: KnowledgeBase) -> None:
    view = view_of(ships)
    question = ships.embed_query("Who founded the Alder Yard?")
    rows = np.arange(len(view.index.relation_ids), dtype=np.int32)
    np.testing.assert_array_equal(
        edge_similarities(ships, view, question, rows),
        view.vectors["relation"].similarities_at(question, rows),
    )


def test_the_parts_of_an_edge_count_without_embedding_it(bare_graph: KnowledgeBase) -> None:
    view = view_of(bare_graph)
    question = bare_graph.embed_query("Quay bread")
    rows = np.arange(len(view.index.relation_ids), dtype=np.int32)
    best = factored_similarities(view, question, rows).argmax()
    assert view.store.relations([str(view.index.relation_ids[best])])[0].predicate == "made of"
