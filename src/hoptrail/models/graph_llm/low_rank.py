"""Low-rank adapters (LoRA) in a frozen language model, through peft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from transformers.modeling_utils import PreTrainedModel

from hoptrail.core.errors import CheckpointError, SettingsError
from hoptrail.core.optional import require

TARGETS = ("q_proj", "v_proj")
_MARK = ".lora_"
_ADAPTER = ".default."  # peft's own name of an adapter, which says nothing


def add_low_rank(
    llm: PreTrainedModel, rank: int, *, alpha: int = 0, dropout: float = 0.05
) -> PreTrainedModel:
    """Put adapters beside the query and value projections of a model, in place.

    Only the adapters train; they start as no change at all and are float32 whatever the model is.

    Args:
        llm: The frozen model.
        rank: Inner size of the adapters.
        alpha: Scale of their outputs, divided by the rank; 0 for twice the rank.
        dropout: Of their inputs, while training.

    Returns:
        The same model.

    Raises:
        MissingExtraError: If peft is not installed.
        SettingsError: If the model has adapters already.

    Source: Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, section 4.
    """
    peft: Any = require("peft", extra="graph-llm", purpose="training with low-rank adapters")
    if low_rank_state(llm):
        raise SettingsError(
            "the language model has low-rank adapters already", hint="load the base model anew"
        )
    config = peft.LoraConfig(
        r=rank,
        lora_alpha=alpha or 2 * rank,
        lora_dropout=dropout,
        target_modules=list(TARGETS),
        task_type="CAUSAL_LM",
    )
    peft.inject_adapter_in_model(config, llm)
    for parameter in low_rank_state(llm).values():
        parameter.data = parameter.data.float()
    llm.eval()
    return llm


def low_rank_state(llm: PreTrainedModel) -> dict[str, Tensor]:
    """Return the adapters' weights by name; empty for a model without."""
    return {
        name.replace(_ADAPTER, "."): parameter
        for name, parameter in llm.named_parameters()
        if _MARK in name
    }


def load_low_rank(llm: PreTrainedModel, state: Mapping[str, Tensor]) -> None:
    """Set the adapters' weights to those that `low_rank_state` returned.

    Raises:
        CheckpointError: If names or shapes are not those of the model's adapters.
    """
    own = low_rank_state(llm)
    if own.keys() != state.keys():
        odd = sorted(own.keys() ^ state.keys())
        raise CheckpointError(
            f"the adapters do not fit the model: {odd[0]!r} and {len(odd) - 1} others differ",
            hint="use the rank and the base model that they were trained with",
        )
    with torch.no_grad():
        for name, parameter in own.items():
            if parameter.shape != state[name].shape:
                raise CheckpointError(
                    f"the adapter {name!r} has the shape {tuple(state[name].shape)}, "
                    f"not {tuple(parameter.shape)}",
                    hint="use the rank that it was trained with",
                )
            parameter.copy_(state[name])
