"""The head of a GGUF file: name, architecture and size of its model; no weight is loaded.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from hoptrail.core.errors import SettingsError

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_FORMATS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9
_LONGEST_STRING = 1 << 24  # bytes: a chat template has thousands
_MOST_ITEMS = 1 << 24
_MOST_DIMENSIONS = 4


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """A model by its file.

    `architecture` is llama.cpp's name of it ("qwen2"), `context` how many tokens it was trained to
    read, 0 where the file does not tell, `weights` how many numbers its tensors hold.
    """

    name: str
    architecture: str
    context: int
    size: int
    weights: int


def read_gguf_header(path: Path) -> GgufHeader:
    """Return what the head of a model file tells.

    Raises:
        SettingsError: If the file cannot be read, is no GGUF file, or ends before its weights do.
    """
    try:
        with path.open("rb") as file:
            return _read(file, path)
    except OSError as error:
        raise SettingsError(
            f"no model file {path}: {error.strerror}", hint="write it as gguf:PATH"
        ) from error
    except (struct.error, ValueError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{path} is damaged: its head cannot be read", hint="download it again"
        ) from error


def _read(file: BinaryIO, path: Path) -> GgufHeader:
    if file.read(len(_MAGIC)) != _MAGIC:
        raise SettingsError(f"{path} is no GGUF file", hint="take a model in the format GGUF")
    version, tensors, pairs = _unpack(file, "<I"), _unpack(file, "<Q"), _unpack(file, "<Q")
    if version not in _VERSIONS:
        raise SettingsError(
            f"{path.name} is GGUF of version {version}, which is not read here",
            hint="take a file of version 3",
        )
    values: dict[str, Any] = {}
    for _ in range(min(pairs, _MOST_ITEMS)):
        key = _string(file)
        values[key] = _value(file, _unpack(file, "<I"))
    parts = [_tensor(file) for _ in range(min(tensors, _MOST_ITEMS))]
    last = max((begin for begin, _ in parts), default=0)
    alignment = int(values.get("general.alignment", 32)) or 32
    begins = -(-file.tell() // alignment) * alignment
    size = path.stat().st_size
    if size <= begins + last:
        raise SettingsError(
            f"{path.name} is cut off: it ends before its last weights", hint="download it again"
        )
    architecture = str(values.get("general.architecture", ""))
    context = values.get(f"{architecture}.context_length", 0)
    return GgufHeader(
        name=str(values.get("general.name") or path.stem),
        architecture=architecture,
        context=int(context),
        size=size,
        weights=sum(count for _, count in parts),
    )


def _tensor(file: BinaryIO) -> tuple[int, int]:
    """Read the entry of a tensor; return where its weights begin behind the head, and how many."""
    _string(file)
    dimensions = min(int(_unpack(file, "<I")), _MOST_DIMENSIONS)
    count = math.prod(int(_unpack(file, "<Q")) for _ in range(dimensions))
    file.seek(4, 1)
    return int(_unpack(file, "<Q")), count


def _value(file: BinaryIO, kind: int) -> Any:
    """Read a value; of a list, such as a vocabulary, nothing is kept."""
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        return _unpack(file, _FORMATS.get(kind, "?"))
    inner, count = _unpack(file, "<I"), _unpack(file, "<Q")
    if inner in _FORMATS:
        file.seek(struct.calcsize(_FORMATS[inner]) * count, 1)
        return None
    for _ in range(min(count, _MOST_ITEMS)):
        if inner == _STRING:
            file.seek(_length(file), 1)
        else:
            _value(file, inner)
    return None


def _string(file: BinaryIO) -> str:
    return file.read(_length(file)).decode()


def _length(file: BinaryIO) -> int:
    length = int(_unpack(file, "<Q"))
    if length > _LONGEST_STRING:
        raise ValueError(length)
    return length


def _unpack(file: BinaryIO, form: str) -> Any:
    (value,) = struct.unpack(form, file.read(struct.calcsize(form)))
    return value
