from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from hoptrail.models.graph_llm.config import NAME_TOKENS, GraphLlamaConfig
from hoptrail.models.graph_llm.encoding import GraphVectorizer
from hoptrail.models.graph_llm.graph_batch import GraphBatch
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.graph_tokens import (
    ConstantTokens,
    GraphTokens,
    Projector,
    make_graph_tokens,
)
from hoptrail.testing import HashingEmbedder

DIM, EMBEDDING, TOKENS, NAME_AT = 32, 12, 11, 2
EMBEDDINGS = nn.Embedding(256, EMBEDDING)
START = torch.randn(TOKENS, EMBEDDING)


def config(**choices: object) -> GraphLlamaConfig:
    small = {"hidden": 8, "heads": 2, "layers": 1, "projector_hidden": 8, "graph_tokens": TOKENS}
    return GraphLlamaConfig(**(small | choices))  # type: ignore[arg-type]


def made(**choices: object) -> GraphTokens | ConstantTokens:
    torch.manual_seed(0)
    part = make_graph_tokens(config(**choices), DIM, start=START, name_at=NAME_AT)
    assert part is not None
    return part.eval()


def read(part: GraphTokens | ConstantTokens, *graphs: GraphInput) -> Tensor:
    vectorizer = GraphVectorizer(HashingEmbedder(DIM), lambda text: [ord(c) % 256 for c in text])
    data = vectorizer.encode_all([("Who?", graph) for graph in graphs])
    tokens: Tensor = part(GraphBatch.of(data), EMBEDDINGS).tokens
    return tokens


ONE = GraphInput(nodes=("Emma",))


OTHER = GraphInput(nodes=("Ulysses",))


@pytest.mark.parametrize(
    "choices", [{}, {"readout": "pooled"}, {"encoder": "constant"}, {"encoder": "transformer"}]
)
def test_every_graph_becomes_so_many_tokens(choices: dict[str, object]) -> None:
    tokens = read(made(**choices), ONE, GraphInput(), OTHER)
    assert tokens.shape == (3, TOKENS, EMBEDDING)


def test_the_pointed_name_stands_in_its_place() -> None:
    (tokens,) = read(made(), ONE)

    name = [ord(c) for c in " Emma"] + [ord("\n")] * (NAME_TOKENS - 5)
    place = slice(NAME_AT, NAME_AT + NAME_TOKENS)
    assert torch.allclose(tokens[place], EMBEDDINGS(torch.tensor(name)), atol=1e-6)


def test_pooled_tokens_spell_no_name() -> None:
    tokens = read(made(readout="pooled"), ONE, GraphInput())
    assert tokens[0].abs().sum(1).gt(0).all()


def test_constant_tokens_do_not_see_the_graph() -> None:
    tokens = read(made(encoder="constant"), ONE, OTHER)
    assert torch.equal(tokens[0], tokens[1])


def test_the_plain_model_has_no_graph_tokens() -> None:
    assert make_graph_tokens(config(encoder="none"), DIM, start=START, name_at=0) is None


def test_tokens_have_the_length_of_the_model_s_embeddings() -> None:
    torch.manual_seed(0)
    start = torch.nn.functional.normalize(torch.randn(3, 32), dim=1) * 2.5

    tokens = Projector(4, hidden=16, start=start)(torch.randn(2, 4))

    assert tokens.shape == (2, 3, 32)
    assert tokens.norm(dim=-1).flatten().tolist() == pytest.approx([2.5] * 6, rel=1e-3)


def test_tokens_start_close_to_the_text() -> None:
    torch.manual_seed(0)
    start = torch.randn(3, 576)

    tokens = Projector(8, hidden=64, start=start)(torch.randn(5, 8))

    assert (cosine_similarity(tokens, start.expand_as(tokens), dim=-1) > 0.9).all()


def test_the_projection_is_linear_sigmoid_linear() -> None:
    projector = Projector(4, hidden=8, start=torch.randn(1, 5))
    first, _, second = projector.layers
    graph = torch.randn(1, 4)

    expected = projector.norm(second(torch.sigmoid(first(graph))))

    assert torch.allclose(projector(graph)[:, 0], expected)
