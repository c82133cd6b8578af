from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch

from hoptrail.core.errors import GraphInputError
from hoptrail.core.types import Relation
from hoptrail.models.graph_llm.config import NAME_TOKENS
from hoptrail.models.graph_llm.encoding import GraphVectorizer, padded
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.retrievers.multistage import edge_string
from hoptrail.testing import HashingEmbedder
from tests.embedders import CountingEmbedder

DIM = 8
EMBEDDER = HashingEmbedder(DIM)
QUESTION = "Who governs Paris?"
GRAPH = GraphInput.from_triples(
    [("Paris", "location.located_in", "France"), ("France", "government", "m.0x1")]
)


def tokenize(text: str) -> list[int]:
    return [ord(character) for character in text]


def vectorizer() -> GraphVectorizer:
    return GraphVectorizer(EMBEDDER, tokenize)


def embedded(*texts: str) -> torch.Tensor:
    return torch.from_numpy(EMBEDDER.embed(texts))


def test_nodes_and_edges_have_the_vectors_of_their_texts() -> None:
    data = vectorizer().encode(QUESTION, GRAPH)
    assert data.node_text == ["Paris", "France", ""]
    assert data.edge_text == ["Paris location located in France", "France government"]
    torch.testing.assert_close(data.x, embedded(*data.node_text))
    torch.testing.assert_close(data.edge_attr, embedded(*data.edge_text).repeat(2, 1))
    torch.testing.assert_close(data.question, embedded(QUESTION))


def test_each_edge_has_an_inverse_of_its_rank() -> None:
    data = vectorizer().encode(QUESTION, GRAPH)
    assert data["edge_index"].tolist() == [[0, 1, 1, 2], [1, 2, 0, 1]]
    assert data.edge_direction.tolist() == [0, 0, 1, 1]
    assert data.edge_rank.tolist() == [1, 0.5, 1, 0.5]


def test_an_edge_is_written_as_retrieval_writes_it() -> None:
    data = vectorizer().encode(QUESTION, GRAPH)
    relations = [
        Relation(id="", source="", target="", subject=subject, predicate=predicate, object=target)
        for subject, predicate, target in GRAPH.triples()
    ]
    assert data.edge_text == [edge_string(relation) for relation in relations]


def test_names_are_cut_or_padded_to_one_number_of_tokens() -> None:
    data = vectorizer().encode(QUESTION, GraphInput(("ab", "", "x" * 20)))
    assert data.name_ids.shape == (3, NAME_TOKENS)
    assert data.name_ids[0].tolist() == [ord(" "), 97, 98] + [ord("\n")] * (NAME_TOKENS - 3)
    assert data.name_ids[1].tolist() == [ord("\n")] * NAME_TOKENS
    assert data.name_ids[2].tolist() == [ord(" ")] + [ord("x")] * (NAME_TOKENS - 1)


def test_nodes_that_the_question_names_by_whole_words_are_marked() -> None:
    names = ("Jamaica", "The New York", "York!", "Jam", "", "m.0x1", "?")
    data = vectorizer().encode("Is Jamaica's flag in new york m.0x1?", GraphInput(names))
    assert data.node_named.tolist() == [1, 1, 1, 0, 0, 0, 0]


def test_each_distinct_text_is_embedded_once_for_all_questions() -> None:
    embedder = CountingEmbedder(DIM)
    GraphVectorizer(embedder, tokenize).encode_all([(QUESTION, GRAPH), ("Why?", GRAPH)])
    assert sorted(embedder.texts) == sorted(
        {QUESTION, "Why?", "Paris", "France", "", *vectorizer().encode("", GRAPH).edge_text}
    )


def test_questions_encoded_together_and_alone_are_equal() -> None:
    items = [(QUESTION, GRAPH), ("Why?", GraphInput()), ("Where?", GraphInput(("Paris",)))]
    for together, (question, graph) in zip(vectorizer().encode_all(items), items, strict=True):
        alone = vectorizer().encode(question, graph)
        for name in ("x", "edge_index", "edge_attr", "question", "name_ids", "node_named"):
            torch.testing.assert_close(together[name], alone[name])


def test_given_vectors_are_taken_at_unit_length() -> None:
    vectors = np.zeros((3, DIM), dtype=np.float32)
    vectors[0, 0], vectors[1, 1] = 3e30, 0.5
    graph = GraphInput(GRAPH.nodes, GRAPH.edges, vectors, vectors[:2])
    embedder = CountingEmbedder(DIM)
    data = GraphVectorizer(embedder, tokenize).encode(QUESTION, graph)
    unit = torch.eye(3, DIM) * torch.tensor([[1.0], [1.0], [0.0]])
    torch.testing.assert_close(data.x, unit)
    torch.testing.assert_close(data.edge_attr, unit[:2].repeat(2, 1))
    assert embedder.texts == [QUESTION]


@pytest.mark.parametrize("field", ["nodes", "edges"])
def test_given_vectors_of_another_length_are_refused(field: str) -> None:
    short = np.ones((1, DIM - 1), dtype=np.float32)
    nodes, edges = (short, None) if field == "nodes" else (None, short)
    graph = GraphInput(("a",), ((0, "r", 0),), nodes, edges)
    with pytest.raises(GraphInputError, match=f"the vectors of the {field} have 7 values"):
        vectorizer().encode(QUESTION, graph)


def test_an_empty_graph_has_rows_of_no_length() -> None:
    data = vectorizer().encode(QUESTION, GraphInput())
    assert data.num_nodes == 0
    assert data["x"].shape == (0, DIM)
    assert data["edge_index"].shape == (2, 0)
    assert data["edge_attr"].shape == (0, DIM)
    assert data.name_ids.shape == (0, NAME_TOKENS)


def test_graphs_of_any_size_are_batched() -> None:
    items = [
        (QUESTION, GraphInput()),
        (QUESTION, GRAPH),
        (QUESTION, GraphInput(("Paris",))),
        (QUESTION, GraphInput()),
    ]
    batch: Any = Batch.from_data_list([*vectorizer().encode_all(items)])
    assert batch.batch.tolist() == [1, 1, 1, 2]
    assert batch.ptr.tolist() == [0, 0, 3, 4, 4]
    assert batch.edge_index.shape == (2, 4)
    assert batch.question.shape == (4, DIM)


def test_no_question_is_no_work() -> None:
    assert vectorizer().encode_all([]) == []


def test_sequences_are_padded_on_the_left() -> None:
    inputs, mask, positions = padded([torch.ones(3, 2), torch.ones(1, 2)])

    assert inputs[1].tolist() == [[0, 0], [0, 0], [1, 1]]
    assert mask.tolist() == [[1, 1, 1], [0, 0, 1]]
    assert positions.tolist() == [[0, 1, 2], [0, 0, 0]]
