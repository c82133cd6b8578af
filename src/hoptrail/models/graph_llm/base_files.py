"""Files of base models: told apart by samples of their weights, and unpacked once if GGUF.

Unpacking takes a hundred times a loading.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.modeling_utils import PreTrainedModel
from transformers.tokenization_utils_base import PreTrainedTokenizerBase
from transformers.utils import quantization_config

from hoptrail.core.errors import SettingsError
from hoptrail.core.optional import require

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


def unpacked_folder(
    file: Path, fingerprint: str, dtype: torch.dtype, *, before: Callable[[], None] = lambda: None
) -> Path:
    """Return a folder with a GGUF file's model and tokenizer, its weights unpacked to a dtype.

    It is kept below `$XDG_CACHE_HOME/hoptrail` (`~/.cache/hoptrail`) and may be deleted any time.

    Args:
        file: The GGUF file.
        fingerprint: Of that file; names the folder.
        dtype: Of the weights in the folder.
        before: Called where the file is going to be unpacked.

    Raises:
        SettingsError: If the file holds no such model, or the folder cannot be written.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hoptrail"
    folder = cache / "base_models" / f"{file.stem}-{fingerprint[:16]}-{str(dtype).split('.')[-1]}"
    if folder.is_dir():
        return folder
    before()
    model, tokenizer = _read(file, dtype)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as name:
            unfinished = Path(name) / folder.name
            model.save_pretrained(unfinished)
            tokenizer.save_pretrained(unfinished)
            if not folder.is_dir():  # another process may have been faster
                unfinished.rename(folder)
    except (OSError, SafetensorError) as error:
        raise SettingsError(
            f"{file} cannot be unpacked below {cache}: {error}",
            hint="set XDG_CACHE_HOME to a folder with space for the model",
        ) from error
    return folder


def _read(file: Path, dtype: torch.dtype) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    for package in ("gguf", "accelerate"):
        require(package, extra="graph-llm", purpose="reading a GGUF file")
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # its progress bar cannot be switched off
            model = AutoModelForCausalLM.from_pretrained(
                file.parent, gguf_file=file.name, dtype=dtype, **_unpacking()
            )
            tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    except Exception as error:  # the libraries raise of any kind for a file that is odd
        raise SettingsError(
            f"{file} is no GGUF file of a causal language model: {error}",
            hint="get the file anew, or name a Hugging Face folder of the model",
        ) from error
    return model, tokenizer


def _unpacking() -> dict[str, Any]:
    """Return the options that unpack the weights; packed, they can be neither saved nor trained."""
    config = getattr(quantization_config, "GgufConfig", None)
    # Older versions of transformers have no such choice and always unpack.
    return {"quantization_config": config(dequantize=True)} if config else {}
