from __future__ import annotations

from pathlib import Path

import pytest
import torch

from hoptrail.models.graph_llm.base_model import load_base_model
from hoptrail.testing.tiny_llama import tiny_base_model, write_tiny_base


def test_equal_seeds_give_equal_models() -> None:
    assert tiny_base_model(3).fingerprint == tiny_base_model(3).fingerprint
    assert tiny_base_model(3).fingerprint != tiny_base_model(4).fingerprint


def test_making_one_leaves_the_random_numbers_alone() -> None:
    torch.manual_seed(0)
    expected = torch.rand(2)
    torch.manual_seed(0)
    tiny_base_model(7)
    assert torch.equal(torch.rand(2), expected)


@pytest.mark.parametrize("text", ["", "Paris", "Žluťoučký 日本\n\0", "a <|im_end|> b"])
def test_every_text_comes_back_from_its_tokens(text: str) -> None:
    base = tiny_base_model()
    assert base.tokenizer.decode(base.token_ids(text)) == text


def test_a_conversation_has_the_chatml_form() -> None:
    text = tiny_base_model().tokenizer.apply_chat_template(
        [{"role": "user", "content": "Hi"}], tokenize=False, add_generation_prompt=True
    )
    assert text == "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"


def test_the_folder_holds_the_same_model(tmp_path: Path) -> None:
    base = tiny_base_model(2, hidden=16, layers=1)
    loaded = load_base_model(
        str(write_tiny_base(tmp_path, 2, hidden=16, layers=1)), dtype="float32"
    )
    assert loaded.fingerprint == base.fingerprint
    ids = torch.tensor([base.token_ids("Paris")])
    torch.testing.assert_close(loaded.llm(ids).logits, base.llm(ids).logits)


def test_other_sizes_and_dtypes_compute() -> None:
    base = tiny_base_model(hidden=16, layers=3, dtype="bfloat16")
    assert base.hidden_size == 16
    assert base.llm(torch.tensor([[1, 2]])).logits.dtype == torch.bfloat16
