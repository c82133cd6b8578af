"""GGUF files as Hugging Face folders, unpacked once: that takes a hundred times a loading."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.modeling_utils import PreTrainedModel
from transformers.tokenization_utils_base import PreTrainedTokenizerBase
from transformers.utils import quantization_config

from hoptrail.core.errors import SettingsError
from hoptrail.core.optional import require


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
