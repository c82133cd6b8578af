"""Kind and size of a base model, told by its files before any weight is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import torch
from safetensors import safe_open
from torch import Tensor, nn
from transformers import AutoConfig, PreTrainedConfig
from transformers.modeling_utils import PreTrainedModel

from hoptrail.core.errors import SettingsError
from hoptrail.models.local.model_files import read_gguf_header

_FAMILIES = {
    "llama": "LLaMA",
    "mistral": "Mistral",
    "qwen2": "Qwen2",
    "qwen3": "Qwen3",
    "gemma": "Gemma",
    "gemma2": "Gemma",
    "gemma3_text": "Gemma",
    "phi": "Phi",
    "phi3": "Phi",
}
"""By the `model_type` of a configuration: decoders with rotary positions and attention to all."""
_GGUF_NAMES = {"gemma3": "gemma3_text"}
_GGUF_UNREAD = ("gemma", "phi")  # transformers reads no GGUF file of these
_FUSED = {"phi3": ("qkv_proj",)}
_ATTENTION = ("q_proj", "v_proj")

_GROUP = Path("/sys/fs/cgroup")  # where a container's limit stands
_GIVEN_BACK = ("inactive_file", "slab_reclaimable")  # what the kernel frees before a limit is hit
_UNPACKING = 4  # bytes a weight beside the finished one: a GGUF file is unpacked in float32
_GIGABYTE = 1e9


@dataclass(frozen=True, slots=True)
class BaseFiles:
    """A base model by its files.

    Attributes:
        model_type: Its architecture as transformers calls it.
        weights: Number of its weights.
    """

    model_type: str
    weights: int

    @classmethod
    def of(cls, source: Path, weight_files: Sequence[Path]) -> BaseFiles:
        """Return what a GGUF file or a Hugging Face folder tells.

        Raises:
            SettingsError: If the GGUF file is none, or cut off.
            OSError: If the folder's configuration cannot be read.
            ValueError: Likewise.
            SafetensorError: If a file of weights is damaged.
        """
        if source.is_file():
            header = read_gguf_header(source)
            model_type = _GGUF_NAMES.get(header.architecture, header.architecture)
            unread = model_type in _GGUF_UNREAD
            return cls(f"{model_type} as a GGUF file" if unread else model_type, header.weights)
        config = AutoConfig.from_pretrained(source, trust_remote_code=False)
        return cls(str(config.model_type), sum(map(_count, weight_files)))

    def require_room(self, name: str, dtype: torch.dtype, device: torch.device) -> None:
        """Check that the weights fit.

        Raises:
            SettingsError: If they do not; tells the sizes.
        """
        self._require(name, self.weights * dtype.itemsize, dtype, device, "")

    def require_room_to_unpack(self, name: str, dtype: torch.dtype) -> None:
        """Check that a GGUF file can be unpacked, which takes more than the weights need then.

        Raises:
            SettingsError: If it cannot; tells the sizes.
        """
        needed = self.weights * (dtype.itemsize + _UNPACKING)
        self._require(name, needed, dtype, torch.device("cpu"), ", unpacked for the first time,")

    def _require(
        self, name: str, needed: int, dtype: torch.dtype, device: torch.device, when: str
    ) -> None:
        free = free_memory(device)
        if needed <= free:
            return
        kind = str(dtype).removeprefix("torch.")
        raise SettingsError(
            f"the base model {name!r} with {self.weights / 1e6:,.0f} million weights{when} needs "
            f"{needed / _GIGABYTE:.1f} GB of memory in {kind}, and {free / _GIGABYTE:.1f} GB are "
            f"free on {device.type}",
            hint="name a smaller base model"
            + (", or --dtype bfloat16" if dtype == torch.float32 else ", or end other programs"),
        )


def require_family(name: str, model_type: str) -> None:
    """Check that a model's architecture can be a base.

    Raises:
        SettingsError: If it cannot; names those that can.
    """
    if model_type not in _FAMILIES:
        raise SettingsError(
            f"the base model {name!r} is of the architecture {model_type!r}, which cannot be one",
            hint=f"take a model of {', '.join(sorted(set(_FAMILIES.values())))}",
        )


def adapted_projections(model_type: str) -> tuple[str, ...]:
    """Return the projections of a layer that adapters stand beside: query and value."""
    return _FUSED.get(model_type, _ATTENTION)


def context_of(config: PreTrainedConfig) -> int:
    """Return how many tokens a model attends to in each of its layers.

    Within the window of a layer that sees only the last tokens all attention is full attention, so
    it is what a prompt and its reply may have.
    """
    context = int(config.max_position_embeddings)
    window = getattr(config, "sliding_window", None)
    return min(context, int(window)) if window else context


def language_head(llm: PreTrainedModel) -> Callable[[Tensor], Tensor]:
    """Return what makes the logits of hidden states, as the model itself does.

    Raises:
        SettingsError: If the model has no output layer.
    """
    head: nn.Module | None = llm.get_output_embeddings()
    if head is None:
        raise SettingsError("the model has no output layer", hint="use a causal language model")
    cap: float | None = getattr(llm.config, "final_logit_softcapping", None)
    if not cap:
        return head
    return lambda states: torch.tanh(head(states) / cap) * cap


def free_memory(device: torch.device) -> int:
    """Return the bytes that this process may still take, on a GPU or of the machine."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    free = int(psutil.virtual_memory().available)
    try:
        limit, used = (int((_GROUP / f"memory.{name}").read_text()) for name in ("max", "current"))
        counts = dict(line.split() for line in (_GROUP / "memory.stat").read_text().splitlines())
        used -= sum(int(counts[name]) for name in _GIVEN_BACK)
    except (OSError, ValueError, KeyError):  # no group, or one without a limit
        return free
    return max(0, min(free, limit - used))


def _count(file: Path) -> int:
    """Return the number of weights in a file."""
    if file.suffix != ".safetensors":
        return file.stat().st_size // 2  # bfloat16 or float16, as most are
    with safe_open(file, "pt") as stored:
        slices: list[Any] = [stored.get_slice(name) for name in stored.keys()]
        return sum(math.prod(part.get_shape()) for part in slices)
