"""Small GGUF files, written as the format says."""

from __future__ import annotations

import struct
from pathlib import Path

_STRING, _UINT32, _ARRAY = 8, 4, 9


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def write_gguf(path: Path, *, context: int = 4_096, weights: int = 64, cut: int = 0) -> Path:
    """Write a file with a head as of a model, one tensor, and `weights` bytes less `cut`."""
    pairs = [
        text("general.architecture") + struct.pack("<I", _STRING) + text("qwen2"),
        text("general.name") + struct.pack("<I", _STRING) + text("Tiny"),
        text("tokenizer.ggml.tokens")
        + struct.pack("<IIQ", _ARRAY, _STRING, 2)
        + text("a")
        + text("b"),
        text("tokenizer.ggml.scores") + struct.pack("<IIQ", _ARRAY, 6, 2) + bytes(8),
        text("qwen2.context_length") + struct.pack("<II", _UINT32, context),
    ]
    tensors = [
        text("one") + struct.pack("<IQIQ", 1, 8, 0, 0),
        text("two") + struct.pack("<IQIQ", 1, 8, 0, 32),
    ]
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs))
    head += b"".join([*pairs, *tensors])
    head += bytes(-len(head) % 32)
    path.write_bytes(head + bytes(weights - cut))
    return path
