from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from hoptrail.core.errors import CheckpointError, MissingExtraError, SettingsError
from hoptrail.models.graph_llm.base_model import BaseModel
from hoptrail.models.graph_llm.config import NAME_TOKENS, GraphLlamaConfig
from hoptrail.models.graph_llm.encoder import GraphBatch
from hoptrail.models.graph_llm.encoding import GraphVectorizer
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.graph_tokens import (
    ConstantTokens,
    GraphTokens,
    Projector,
    add_low_rank,
    load_low_rank,
    low_rank_state,
    make_graph_tokens,
)
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.tiny_llama import tiny_base_model

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


pytest.importorskip("peft")


def logits(base: BaseModel) -> torch.Tensor:
    scores: torch.Tensor = base.llm(torch.tensor([base.token_ids("Paris")])).logits
    return scores


def adapted(rank: int = 2, dtype: str = "float32") -> BaseModel:
    base = tiny_base_model(dtype=dtype)
    add_low_rank(base.llm, rank)
    return base


def test_a_model_without_adapters_has_no_state_of_them() -> None:
    assert low_rank_state(tiny_base_model().llm) == {}


def test_new_adapters_change_nothing() -> None:
    assert torch.equal(logits(adapted()), logits(tiny_base_model()))


def test_only_adapters_of_queries_and_values_train() -> None:
    base = adapted()
    trained = [name for name, weight in base.llm.named_parameters() if weight.requires_grad]
    assert len(trained) == len(low_rank_state(base.llm)) == 2 * 2 * 2
    assert all(".q_proj.lora_" in name or ".v_proj.lora_" in name for name in trained)


def test_adapters_may_stand_in_the_upper_third_alone() -> None:
    base = tiny_base_model(layers=4)
    add_low_rank(base.llm, 2, layers="upper-third")
    assert {name.split(".")[2] for name in low_rank_state(base.llm)} == {"2", "3"}


def test_below_the_adapters_no_gradient_is_computed() -> None:
    base = tiny_base_model(layers=4)
    add_low_rank(base.llm, 2, layers="upper-third")
    reached: list[bool] = []
    decoder: Any = base.llm.get_decoder()
    for layer in decoder.layers:
        layer.register_forward_hook(lambda part, given, out: reached.append(out.requires_grad))
    logits(base)
    assert reached == [False, False, True, True]


def test_adapters_are_float32_in_a_model_of_half_precision() -> None:
    base = adapted(dtype="bfloat16")
    assert {weight.dtype for weight in low_rank_state(base.llm).values()} == {torch.float32}
    assert logits(base).dtype == torch.bfloat16


def test_training_moves_the_adapters_and_leaves_the_base_as_it_was() -> None:
    base = adapted()
    before = {name: weight.clone() for name, weight in base.llm.named_parameters()}
    optimizer = torch.optim.SGD(low_rank_state(base.llm).values(), lr=0.1)
    torch.autograd.backward(logits(base).square().mean())
    optimizer.step()
    moved = {
        name
        for name, weight in base.llm.named_parameters()
        if not torch.equal(weight, before[name])
    }
    assert moved and all(".lora_" in name for name in moved)


def test_adapters_come_back_from_their_state() -> None:
    base, other = adapted(), adapted()
    with torch.no_grad():
        for weight in low_rank_state(base.llm).values():
            weight.normal_(generator=torch.Generator().manual_seed(1))
    load_low_rank(other.llm, low_rank_state(base.llm))
    assert torch.equal(logits(other), logits(base))
    assert not torch.equal(logits(base), logits(tiny_base_model()))


def test_adapters_of_another_rank_are_refused() -> None:
    with pytest.raises(CheckpointError, match=r"has the shape \(4, 32\), not \(2, 32\)"):
        load_low_rank(adapted(2).llm, low_rank_state(adapted(4).llm))


def test_a_state_without_an_adapter_is_refused() -> None:
    base = adapted()
    state = low_rank_state(base.llm)
    state.pop(next(iter(state)))
    with pytest.raises(CheckpointError, match="do not fit the model: .*q_proj.lora_A.weight"):
        load_low_rank(base.llm, state)


def test_adapters_are_put_in_once() -> None:
    with pytest.raises(SettingsError, match="has low-rank adapters already"):
        add_low_rank(adapted().llm, 2)


def test_without_peft_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(MissingExtraError) as caught:
        add_low_rank(tiny_base_model().llm, 2)
    assert caught.value.hint == 'pip install "hoptrail[graph-llm]"'
