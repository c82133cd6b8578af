from __future__ import annotations

import sys

import pytest
import torch

from hoptrail.core.errors import CheckpointError, MissingExtraError, SettingsError
from hoptrail.models.graph_llm.base_model import BaseModel
from hoptrail.models.graph_llm.low_rank import add_low_rank, load_low_rank, low_rank_state
from hoptrail.testing.tiny_llama import tiny_base_model

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
