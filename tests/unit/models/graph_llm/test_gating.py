import pytest
import torch

from hoptrail.models.graph_llm.gating import CosineGate, DistanceGate, OpenGate, make_gate


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
