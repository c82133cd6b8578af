"""A LLaMA of a few thousand random weights with a byte tokenizer, made in milliseconds."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from hoptrail.core.optional import quiet_loading
from hoptrail.models.graph_llm.base_model import BaseModel

_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_PAD, _BEGINNING, _END = range(3)
_CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def tiny_base_model(
    seed: int = 0, *, hidden: int = 32, layers: int = 2, dtype: str = "float32"
) -> BaseModel:
    """Return a frozen LLaMA with random weights; equal arguments give equal weights.

    Its tokens are bytes and the three marks of the ChatML form, its context has 1,024 of them.

    Args:
        seed: Of the weights.
        hidden: Length of an embedding, a multiple of 8.
        layers: Number of attention layers.
        dtype: `float32`, `bfloat16` or `float16`; the fingerprint is that of float32.
    """
    tokenizer = _byte_tokenizer()
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        initializer_range=0.1,
        tie_word_embeddings=True,
        bos_token_id=_BEGINNING,
        eos_token_id=_END,
        pad_token_id=_PAD,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        llm = LlamaForCausalLM(config)
    base = BaseModel.of(f"tiny-llama-{seed}", llm, tokenizer)
    llm.to(getattr(torch, dtype))
    return base


def write_tiny_base(folder: Path, seed: int = 0, *, hidden: int = 32, layers: int = 2) -> Path:
    """Write `tiny_base_model` as a Hugging Face folder and return it.

    `load_base_model(str(folder))` gives a model of the same fingerprint.
    """
    base = tiny_base_model(seed, hidden=hidden, layers=layers)
    with quiet_loading():
        base.llm.save_pretrained(folder)
        base.tokenizer.save_pretrained(folder)
    return folder


def _byte_tokenizer() -> PreTrainedTokenizerFast:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*_SPECIAL, *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=_SPECIAL[_BEGINNING],
        eos_token=_SPECIAL[_END],
        pad_token=_SPECIAL[_PAD],
        chat_template=_CHAT_TEMPLATE,
    )
