import torch

from hoptrail.models.graph_llm.padding import padded


def test_sequences_are_padded_on_the_left() -> None:
    inputs, mask, positions = padded([torch.ones(3, 2), torch.ones(1, 2)])

    assert inputs[1].tolist() == [[0, 0], [0, 0], [1, 1]]
    assert mask.tolist() == [[1, 1, 1], [0, 0, 1]]
    assert positions.tolist() == [[0, 1, 2], [0, 0, 0]]
