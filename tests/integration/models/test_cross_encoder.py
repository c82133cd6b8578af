"""A cross-encoder of random weights, built here: the library's real code, no real model."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from hoptrail.core.budget import Limits, Meter, booking_to
from hoptrail.core.errors import ModelUnavailableError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.models.reranker import load_reranker

if find_spec("sentence_transformers") is None:  # each process that collects would load it
    pytest.skip('needs pip install "hoptrail[sentence-transformers]"', allow_module_level=True)
pytestmark = pytest.mark.slow

QUESTION = "Where was the founder of the yard born?"
PASSAGES = ["It has a stone bridge.", "She was born in Brackenholm. " * 40, "", "北港 &<>"]
WORDS = "where was the founder of yard born she in it has a stone bridge ##s ##e ##r . ?".split()


def build(folder: Path, labels: int = 1) -> Path:
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = {word: number for number, word in enumerate([*special, *WORDS])}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=BertWordPieceTokenizer(vocab=words)._tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=1.0,  # else all pairs score alike
    )
    config.num_labels = labels
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("models") / "cross")


def test_the_scores_are_the_models_own_whatever_the_order_of_batches(model: Path) -> None:
    from sentence_transformers import CrossEncoder

    passages = [f"{'bridge ' * (place % 7)}stone {place}" for place in range(40)] + PASSAGES
    scores = load_reranker(f"cross-encoder:{model}", Settings()).score(QUESTION, passages)
    wanted = CrossEncoder(str(model)).predict([(QUESTION, text) for text in passages])
    np.testing.assert_allclose(scores, wanted, atol=1e-5)
    assert wanted.max() - wanted.min() > 0.01


def test_threads_share_a_model(model: Path) -> None:
    reranker = load_reranker(f"cross-encoder:{model}", Settings())
    alone = reranker.score(QUESTION, PASSAGES)
    with ThreadPoolExecutor(4) as pool:
        for scores in pool.map(lambda _: reranker.score(QUESTION, PASSAGES), range(8)):
            np.testing.assert_allclose(scores, alone, atol=1e-6)


def test_the_time_of_the_run_ends_it_between_batches(model: Path) -> None:
    reranker = load_reranker(f"cross-encoder:{model}", Settings())
    over = Meter("retrieve", Limits(max_seconds=0))
    with booking_to(over), pytest.raises(ModelUnavailableError, match="for 4 passages") as caught:
        reranker.score(QUESTION, PASSAGES)
    assert "reranker_candidates" in caught.value.hint


def test_a_model_with_several_outputs_is_no_reranker(tmp_path: Path) -> None:
    folder = build(tmp_path / "nli", labels=3)
    with pytest.raises(SettingsError, match="it gives 3 values a passage"):
        load_reranker(f"cross-encoder:{folder}", Settings())


@pytest.mark.parametrize("content", [None, {}, {"config.json": "{}"}, {"config.json": "no JSON"}])
def test_what_holds_no_model_is_told(tmp_path: Path, content: dict[str, str] | None) -> None:
    folder = tmp_path / "model"
    if content is not None:
        folder.mkdir()
        for name, text in content.items():
            (folder / name).write_text(text)
    with pytest.raises(SettingsError, match="no cross-encoder"):
        load_reranker(f"cross-encoder:{folder}", Settings())
