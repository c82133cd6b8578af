import pytest
import torch
from torch_geometric.nn import TransformerConv

from hoptrail.models.graph_llm.attention_layers import EdgeAttention, make_layer

HIDDEN, HEADS = 8, 2


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
