from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
import torch

from hoptrail.models.graph_llm.encoder import GraphEncoder
from hoptrail.models.graph_llm.encoding import GraphVectorizer
from hoptrail.models.graph_llm.graph_batch import GraphBatch
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.testing import HashingEmbedder

DIM = 32
TRIPLES = [("Emma", "author", "Jane Austen"), ("Jane Austen", "born_in", "Steventon")]


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
