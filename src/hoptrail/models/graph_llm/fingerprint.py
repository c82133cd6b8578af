"""Tells base models apart by samples of their weights, whatever they are loaded as or on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor, nn

_VALUES = 256  # of a vector, at its start, middle and end; of a matrix one row each
_FILE_SAMPLE = 65_536  # bytes
_FILE_SAMPLES = 64


def fingerprint_of_files(files: Sequence[Path]) -> str:
    """Return the fingerprint of a model's weight files: 32 hexadecimal digits.

    Of each tensor a few values are read, so a model of any size takes moments; training of any kind
    changes them. Safetensors files, however they are divided, give what `fingerprint_of_module`
    gives for the model in memory; other files are sampled as a whole.

    Raises:
        OSError: If a file cannot be read.
        SafetensorError: If a safetensors file is damaged.
    """
    parts: dict[str, bytes] = {}
    for file in files:
        if file.suffix == ".safetensors":
            with safe_open(file, "pt") as weights:
                for name in weights.keys():
                    stored = weights.get_slice(name)
                    parts[name] = _sample(stored, stored.get_shape())
        else:
            parts[f"{file.suffix}{file.stat().st_size}"] = b"".join(_file_samples(file))
    return _digest(parts)


def fingerprint_of_module(module: nn.Module) -> str:
    """Return the fingerprint of the weights in memory, tied ones counted once."""
    return _digest(
        {
            name: _sample(tensor.detach(), list(tensor.shape))
            for name, tensor in module.named_parameters()
        }
    )


def _sample(tensor: Any, shape: list[int]) -> bytes:
    """Return what stands for a tensor, or for one in a file: form and some values."""
    rows = _VALUES if len(shape) == 1 else 1
    starts = (0, shape[0] // 2, max(0, shape[0] - rows)) if shape else ()
    samples: list[Tensor] = [tensor[start : start + rows] for start in starts] or [tensor[...]]
    values = b"".join(
        sample.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        for sample in samples
    )
    return f"{samples[0].dtype}{shape}".encode() + values


def _file_samples(file: Path) -> Iterator[bytes]:
    size = file.stat().st_size
    with file.open("rb") as stream:
        for number in range(_FILE_SAMPLES):
            stream.seek(max(0, size - _FILE_SAMPLE) * number // (_FILE_SAMPLES - 1))
            yield stream.read(_FILE_SAMPLE)


def _digest(parts: Mapping[str, bytes]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(parts):
        digest.update(name.encode() + b"\0" + parts[name])
    return digest.hexdigest()
