from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import torch
from torch_geometric.nn import TransformerConv

from hoptrail.models.graph_llm.encoder import (
    CosineGate,
    DistanceGate,
    EdgeAttention,
    GraphBatch,
    GraphEncoder,
    OpenGate,
    make_gate,
    make_layer,
)
from hoptrail.models.graph_llm.encoding import GraphVectorizer
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.testing import HashingEmbedder

DIM = 32
TRIPLES = [("Emma", "author", "Jane Austen"), ("Jane Austen", "born_in", "Steventon")]
HIDDEN, HEADS = 8, 2


def encoder(**choices: Any) -> GraphEncoder:
    torch.manual_seed(0)
    defaults: dict[str, Any] = {
        "hidden": 16,
        "layers": 2,
        "heads": 2,
        "layer": "gat",
        "gate": "mlp",
        "dropout": 0.5,
        "feature_dropout": 0.5,
    }
    return GraphEncoder(DIM, **(defaults | choices)).eval()


def batch(
    *graphs: GraphInput,
    question: str = "Who wrote Emma?",
    changed: Mapping[str, torch.Tensor] = MappingProxyType({}),
) -> GraphBatch:
    vectorizer = GraphVectorizer(HashingEmbedder(DIM), lambda name: [1])
    data = vectorizer.encode_all([(question, graph) for graph in graphs])
    for name, value in changed.items():
        data[0][name] = value
    return GraphBatch.of(data)


GRAPH = GraphInput.from_triples(TRIPLES)


@pytest.mark.parametrize("layer", ["gat", "transformer"])
@pytest.mark.parametrize("gate", ["mlp", "cosine", "none"])
def test_every_node_gets_a_state(layer: str, gate: str) -> None:
    assert encoder(layer=layer, gate=gate)(batch(GRAPH)).shape == (3, 16)


@pytest.mark.parametrize("layer", ["gat", "transformer"])
def test_states_do_not_depend_on_other_graphs_of_the_batch(layer: str) -> None:
    other = GraphInput.from_triples([("Ulysses", "author", "James Joyce")])
    model = encoder(layer=layer)

    together = model(batch(other, GraphInput(), GRAPH))

    assert torch.allclose(together[2:], model(batch(GRAPH)), atol=1e-6)


def test_states_depend_on_the_question() -> None:
    model = encoder()
    asked = model(batch(GRAPH, question="Where was she born?"))
    assert not torch.allclose(model(batch(GRAPH)), asked)


@pytest.mark.parametrize(
    "changed",
    [
        {"edge_direction": torch.zeros(4, dtype=torch.long)},
        {"edge_rank": torch.zeros(4)},
        {"node_named": torch.zeros(3)},
    ],
    ids=["direction", "rank", "named"],
)
def test_states_depend_on_what_vectors_do_not_tell(changed: dict[str, torch.Tensor]) -> None:
    model = encoder()
    assert not torch.allclose(model(batch(GRAPH)), model(batch(GRAPH, changed=changed)))


def test_a_layer_is_a_hop() -> None:
    def states(last: str, layers: int) -> torch.Tensor:
        graph = GraphInput.from_triples([*TRIPLES, ("Steventon", "county", last)])
        # The edge next to the far node is hidden, so that only messages can tell of it.
        data = batch(graph, changed={"edge_attr": torch.ones(6, DIM)})
        state: torch.Tensor = encoder(layers=layers)(data)[0]
        return state

    assert torch.equal(states("Hampshire", 2), states("Devon", 2))
    assert not torch.equal(states("Hampshire", 3), states("Devon", 3))


def test_distance_gate_scales_a_vector_without_turning_it() -> None:
    torch.manual_seed(0)
    vectors, question = torch.randn(5, 8), torch.randn(5, 8)

    gated = DistanceGate(8)(vectors, question)

    shares = gated / vectors
    assert torch.allclose(shares, shares[:, :1].expand_as(shares))
    assert ((shares > 0) & (shares < 1)).all()


def test_distance_gate_is_the_same_for_the_same_distance() -> None:
    gate = DistanceGate(3)
    question = torch.tensor([[1.0, 0.0, 0.0]])
    offset = torch.tensor([[0.2, -0.3, 0.5]])

    nearer = gate(question + offset, question) / (question + offset)
    farther = gate(question - offset, question) / (question - offset)

    assert torch.allclose(nearer[0, 0], farther[0, 0])


@pytest.mark.parametrize(
    ("vector", "share"), [([2.0, 0.0], 1.0), ([0.0, 1.0], 0.0), ([-1.0, 0.0], 0.0)]
)
def test_cosine_gate_scales_by_similarity_where_positive(vector: list[float], share: float) -> None:
    vectors = torch.tensor([vector])

    gated = CosineGate()(vectors, torch.tensor([[1.0, 0.0]]))

    assert torch.allclose(gated, vectors * share)


def test_open_gate_changes_nothing() -> None:
    vectors = torch.randn(2, 3)
    assert OpenGate()(vectors, torch.zeros(2, 3)) is vectors


@pytest.mark.parametrize(
    ("kind", "gate"), [("mlp", DistanceGate), ("cosine", CosineGate), ("none", OpenGate)]
)
def test_gates_are_made_by_name(kind: str, gate: type) -> None:
    assert isinstance(make_gate(kind, 4), gate)  # type: ignore[arg-type]


@pytest.fixture
def layer() -> EdgeAttention:
    torch.manual_seed(1)
    return EdgeAttention(HIDDEN, HEADS)


def test_a_node_with_one_neighbour_learns_by_which_edge_it_is_reached(
    layer: EdgeAttention,
) -> None:
    nodes, index = torch.randn(2, HIDDEN), torch.tensor([[0], [1]])

    one = layer(nodes, index, torch.randn(1, HIDDEN))
    other = layer(nodes, index, torch.randn(1, HIDDEN))

    assert not torch.allclose(one[1], other[1])


def test_attention_equals_the_formula_written_out(layer: EdgeAttention) -> None:
    nodes, edges = torch.randn(3, HIDDEN), torch.randn(2, HIDDEN)

    received = layer(nodes, torch.tensor([[0, 1], [2, 2]]), edges)[2].view(HEADS, -1)

    receiver = layer.to_receiver(nodes[2]).view(HEADS, -1)
    sent = (layer.to_sender(nodes[:2]) + layer.to_edge(edges)).view(2, HEADS, -1)
    scores = (torch.nn.functional.leaky_relu(receiver + sent) * layer.attention[0]).sum(-1)
    expected = (scores.softmax(0)[..., None] * sent).sum(0)
    assert torch.allclose(received, expected, atol=1e-6)


def test_a_node_without_neighbours_receives_nothing(layer: EdgeAttention) -> None:
    received = layer(torch.randn(3, HIDDEN), torch.tensor([[0], [1]]), torch.randn(1, HIDDEN))
    assert not received[2].any()


def test_a_graph_without_edges_or_nodes_is_taken(layer: EdgeAttention) -> None:
    no_edges = torch.zeros(2, 0, dtype=torch.long)
    for nodes in (0, 2):
        received = layer(torch.randn(nodes, HIDDEN), no_edges, torch.zeros(0, HIDDEN))
        assert received.shape == (nodes, HIDDEN)


def test_the_transformer_layer_is_pyg_s() -> None:
    made = make_layer("transformer", HIDDEN, HEADS)

    assert isinstance(made, TransformerConv)
    states = made(torch.randn(2, HIDDEN), torch.tensor([[0], [1]]), torch.randn(1, HIDDEN))
    assert states.shape == (2, HIDDEN)


@pytest.mark.parametrize("kind", ["gat", "transformer"])
def test_a_layer_leaves_no_file_in_the_temporary_folder(kind: str, tmp_path: Path) -> None:
    making = f"from hoptrail.models.graph_llm.encoder import make_layer; make_layer({kind!r}, 8, 2)"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "TEMP": str(tmp_path)}
    subprocess.run([sys.executable, "-c", making], env=environment, check=True)
    assert not list(tmp_path.glob("*.py"))
