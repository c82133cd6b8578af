"""Base models of each family, of random weights, read from a folder as users' are."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    Gemma3TextConfig,
    GemmaConfig,
    MistralConfig,
    Phi3Config,
    PhiConfig,
    PreTrainedConfig,
    Qwen2Config,
    Qwen3Config,
)

from hoptrail.core.errors import SettingsError
from hoptrail.core.optional import quiet_loading
from hoptrail.models.graph_llm import architecture
from hoptrail.models.graph_llm.architecture import free_memory
from hoptrail.models.graph_llm.base_model import BaseModel, load_base_model
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.graph_tokens import low_rank_state
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.tiny_llama import tiny_base_model, write_tiny_base

SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "initializer_range": 0.1,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
HEADS: dict[str, Any] = {"head_dim": 8}
FAMILIES: dict[str, Callable[..., PreTrainedConfig]] = {
    "mistral": lambda **sizes: MistralConfig(**sizes, sliding_window=400),
    "qwen2": Qwen2Config,
    "qwen3": lambda **sizes: Qwen3Config(**sizes, **HEADS),
    "gemma": lambda **sizes: GemmaConfig(**sizes, **HEADS),
    "gemma2": lambda **sizes: Gemma2Config(**sizes, **HEADS, sliding_window=400),
    "gemma3": lambda **sizes: Gemma3TextConfig(**sizes, **HEADS, sliding_window=400),
    "phi": PhiConfig,
    "phi3": Phi3Config,
}
SMALL = GraphLlamaConfig(hidden=16, layers=2, heads=2, projector_hidden=16, graph_tokens=10)
GRAPH = GraphInput.from_triples([("Emma", "author", "Jane Austen"), ("Emma", "genre", "novel")])
QUESTIONS = ("Who wrote Emma?", "What is it?")


def write_base(folder: Path, config: PreTrainedConfig) -> Path:
    """Write a model of random weights with the byte tokenizer."""
    torch.manual_seed(0)
    with quiet_loading():
        AutoModelForCausalLM.from_config(config).save_pretrained(folder)
        tiny_base_model().tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], BaseModel]:
    """Return what loads a family's model anew."""
    folder = tmp_path_factory.mktemp("bases")

    def load(family: str) -> BaseModel:
        path = folder / family
        if not path.exists():
            vocabulary = len(tiny_base_model().tokenizer)
            write_base(path, FAMILIES[family](**SIZES, vocab_size=vocabulary))
        return load_base_model(str(path), dtype="float32")

    return load


@pytest.fixture(params=list(FAMILIES))
def base(bases: Callable[[str], BaseModel], request: pytest.FixtureRequest) -> BaseModel:
    return bases(request.param)


def graph_llama(base: BaseModel, **choices: Any) -> GraphLlama:
    torch.manual_seed(3)
    return GraphLlama(base, replace(SMALL, **choices), HashingEmbedder(32)).eval()


def test_replies_are_those_of_the_model_itself(base: BaseModel) -> None:
    model = graph_llama(base, encoder="none", triples=0)
    inputs = [model.prepare(question, None) for question in QUESTIONS]

    replies = model.generate(inputs, max_new_tokens=12)

    for item, reply in zip(inputs, replies, strict=True):
        prompt = torch.tensor([item.prompt.ids])
        llm: Any = base.llm
        whole = llm.generate(prompt, max_new_tokens=12, do_sample=False)
        own = base.tokenizer.decode(whole[0, prompt.shape[1] :], skip_special_tokens=True)
        assert reply == str(own).strip()


@pytest.mark.parametrize("place", ["start", "end"])
def test_the_loss_is_that_of_the_model_itself(base: BaseModel, place: str) -> None:
    model = graph_llama(base, place=place)
    inputs = [model.prepare(question, GRAPH, ["Jane Austen"]) for question in QUESTIONS]
    expected = []
    for item, soft in zip(inputs, model.soft_prompts(inputs), strict=True):
        target = torch.tensor(item.target)
        whole = torch.cat([soft, base.llm.get_input_embeddings()(target)])[None]
        logits = base.llm(inputs_embeds=whole).logits[0, len(soft) - 1 : -1]
        expected.append(torch.nn.functional.cross_entropy(logits.float(), target).item())

    assert model(inputs).language.item() == pytest.approx(sum(expected) / 2, abs=1e-4)


def test_the_graph_encoder_learns_through_it(base: BaseModel) -> None:
    model = graph_llama(base).train()

    model([model.prepare(QUESTIONS[0], GRAPH, ["Jane Austen"])]).language.backward()

    assert model.graph_tokens is not None
    gradients = [weight.grad for weight in model.graph_tokens.projector.parameters()]
    assert all(gradient is not None and bool(gradient.any()) for gradient in gradients)
    assert all(parameter.grad is None for parameter in base.llm.parameters())


def test_it_takes_adapters(base: BaseModel) -> None:
    model = graph_llama(base, encoder="none", low_rank=2).train()

    model([model.prepare(QUESTIONS[0], GRAPH, ["Jane Austen"])]).language.backward()

    adapters = low_rank_state(base.llm)
    assert {name.split(".layers.")[1].split(".")[0] for name in adapters} == {"0", "1", "2"}
    assert all(parameter.grad is not None for parameter in adapters.values())


@pytest.mark.parametrize("family", ["mistral", "gemma2", "gemma3"])
def test_the_context_ends_where_a_layer_would_no_longer_see_all(
    bases: Callable[[str], BaseModel], family: str
) -> None:
    base = bases(family)
    assert base.context_length == 400
    ids = torch.randint(3, 200, (1, 401))
    windowed = base.llm(ids).logits
    decoder: Any = base.llm.get_decoder()
    for layer in decoder.layers:
        layer.self_attn.sliding_window = None
    base.llm.config.sliding_window = 10_000
    whole = base.llm(ids).logits

    torch.testing.assert_close(windowed[:, :400], whole[:, :400])
    assert not torch.allclose(windowed[:, 400], whole[:, 400])


def test_another_architecture_is_refused_before_its_weights_are_read(tmp_path: Path) -> None:
    folder = write_tiny_base(tmp_path / "base")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "gpt_neox"}))

    with pytest.raises(SettingsError, match="of the architecture 'gpt_neox'") as caught:
        load_base_model(str(folder))

    assert caught.value.hint == "take a model of Gemma, LLaMA, Mistral, Phi, Qwen2, Qwen3"


def test_a_model_larger_than_the_free_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_tiny_base(tmp_path / "base")
    weights = sum(parameter.numel() for parameter in tiny_base_model().llm.parameters())
    monkeypatch.setattr(architecture, "free_memory", lambda device: 4 * weights - 1)

    with pytest.raises(SettingsError, match=r"needs 0\.0 GB of memory in float32, and 0\.0 GB"):
        load_base_model(str(folder), dtype="float32")
    assert load_base_model(str(folder), dtype="bfloat16").llm.dtype == torch.bfloat16


def test_a_container_s_limit_is_the_free_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(architecture, "_GROUP", tmp_path)
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("400\n")
    stat = "anon 200\ninactive_file 90\nactive_file 60\nslab_reclaimable 10\n"
    (tmp_path / "memory.stat").write_text(stat)
    assert free_memory(torch.device("cpu")) == 700
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory(torch.device("cpu")) > 1000
