"""The device that a base model computes on, and the number format that it computes in."""

from __future__ import annotations

import torch

from hoptrail.core.errors import SettingsError

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def find_device(name: str) -> torch.device:
    """Return the device of that name.

    Raises:
        SettingsError: If there is none.
    """
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # torch asserts that it was built with CUDA
        raise SettingsError(
            f"the device {name!r} cannot be used", hint="cpu always can, cuda with a GPU"
        ) from error
    return device


def find_dtype(name: str, device: torch.device) -> torch.dtype:
    """Return the number format of that name; `auto` is the fastest one of the device.

    Raises:
        SettingsError: If the name is unknown.
    """
    if name == "auto":
        return torch.bfloat16 if _computes_in_bfloat16(device) else torch.float32
    if name not in _DTYPES:
        raise SettingsError(f"unknown dtype {name!r}", hint=f"known: auto, {', '.join(_DTYPES)}")
    return _DTYPES[name]


def _computes_in_bfloat16(device: torch.device) -> bool:
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    # An older torch does not tell; float32 is right on every processor.
    tell = getattr(torch.cpu, "get_capabilities", None)
    features = tell() if tell and device.type == "cpu" else {}
    return bool(features.get("avx512_bf16") or features.get("amx_bf16"))
