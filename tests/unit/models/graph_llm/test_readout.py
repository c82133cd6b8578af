import pytest
import torch
from torch import nn
from torch_geometric.data import Batch, Data

from hoptrail.models.graph_llm.readout import (
    NodePointer,
    PooledReadout,
    pointed_names,
    pointer_loss,
)


def batch_of(*sizes: int, name_ids: list[list[int]] | None = None) -> Batch:
    graphs = [Data(x=torch.randn(size, 4), question=torch.randn(1, 4)) for size in sizes]
    if name_ids is not None:
        ids = torch.tensor(name_ids)
        for graph, own in zip(graphs, torch.split(ids, list(sizes)), strict=True):
            graph.name_ids = own
    return Batch.from_data_list(graphs)


def test_pooling_joins_mean_and_maximum() -> None:
    states = torch.tensor([[1.0, -2.0], [3.0, -4.0], [5.0, 6.0]])

    pooled = PooledReadout(2)(states, batch_of(2, 1))

    assert pooled.tolist() == [[2.0, -3.0, 3.0, -2.0], [5.0, 6.0, 5.0, 6.0]]


def test_a_graph_without_nodes_gets_the_learned_vector() -> None:
    readout = PooledReadout(2)
    nn.init.constant_(readout.empty, 7.0)

    pooled = readout(torch.ones(1, 2), batch_of(0, 1))

    assert pooled.tolist() == [[7.0] * 4, [1.0] * 4]


def test_probabilities_add_up_to_one_in_each_graph() -> None:
    torch.manual_seed(0)
    probabilities = NodePointer(6, 4)(torch.randn(5, 6), batch_of(3, 0, 2))

    assert probabilities[:3].sum().item() == pytest.approx(1)
    assert probabilities[3:].sum().item() == pytest.approx(1)


def test_pointer_loss_counts_all_answer_nodes_of_a_graph() -> None:
    probabilities = torch.tensor([0.25, 0.25, 0.5, 1.0])
    is_answer = torch.tensor([True, True, False, False])

    loss = pointer_loss(probabilities, is_answer, batch_of(3, 1))

    assert loss is not None
    assert loss.item() == pytest.approx(-torch.tensor(0.5).log().item())


def test_pointer_loss_needs_an_answer_node() -> None:
    assert pointer_loss(torch.ones(2), torch.tensor([False, False]), batch_of(1, 1)) is None


def test_the_likeliest_node_s_name_is_spelled() -> None:
    table = nn.Embedding(10, 3)
    batch = batch_of(2, 0, 1, name_ids=[[4, 5], [6, 7], [8, 9]])

    names = pointed_names(torch.tensor([0.4, 0.6, 1.0]), batch, table)

    expected = [table.weight[[6, 7]], torch.zeros(2, 3), table.weight[[8, 9]]]
    assert torch.equal(names, torch.stack(expected))


def test_of_equal_nodes_the_first_is_spelled() -> None:
    table = nn.Embedding(10, 3)

    names = pointed_names(torch.tensor([0.5, 0.5]), batch_of(2, name_ids=[[4], [6]]), table)

    assert torch.equal(names[0, 0], table.weight[4])


def test_the_gradient_reaches_every_node_s_probability() -> None:
    table = nn.Embedding(10, 3)
    probabilities = torch.tensor([0.25, 0.75], requires_grad=True)

    names = pointed_names(probabilities, batch_of(2, name_ids=[[4], [6]]), table)
    torch.autograd.backward(names.sum())

    assert probabilities.grad is not None
    assert torch.allclose(probabilities.grad, table.weight[[4, 6]].sum(1).detach())
