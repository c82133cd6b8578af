import pytest
import torch
from torch.nn.functional import cosine_similarity

from hoptrail.models.graph_llm.projector import Projector


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
