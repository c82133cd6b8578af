"""Checkpoints of a graph language model: the trained part, tied to what it was trained with."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from hoptrail.core.embedding import (
    Embedder,
    FloatArray,
    RememberingEmbedder,
    is_same_probe,
    probe_vector,
)
from hoptrail.core.errors import CheckpointError, SettingsError
from hoptrail.core.settings import load_settings
from hoptrail.core.whole_file import write_whole
from hoptrail.models.embedder import load_embedder
from hoptrail.models.graph_llm.base_model import BaseModel, load_base_model
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.example import GraphExample
from hoptrail.models.graph_llm.model import GraphLlama

_REMEMBERED = 20_000  # texts; 30 MB of vectors of 384 values

FORMAT = 1
_CONFIG = "config.json"
_WEIGHTS = "model.safetensors"

RUN = "run.json"


def save_checkpoint(model: GraphLlama, folder: Path) -> None:
    """Write the trained part of a model, replacing a checkpoint that is there.

    The folder gets `model.safetensors` and `config.json`; it is never seen half-written.

    Raises:
        CheckpointError: If a weight is not finite, or the folder holds other things or cannot be
            written.
    """
    state = model.trained_state()
    _check_finite(state)
    config = CheckpointConfig(
        base_name=model.base.name,
        base_fingerprint=model.base.fingerprint,
        embedder_name=model.embedder.name,
        embedder_probe=probe_vector(model.embedder),
        model=model.config,
    )
    write_files(folder, config, state)


def load_checkpoint(
    folder: Path,
    *,
    base: BaseModel | None = None,
    embedder: Embedder | None = None,
    dtype: str = "auto",
    device: str = "cpu",
) -> GraphLlama:
    """Return the model of a checkpoint, ready to reply.

    Args:
        folder: What `save_checkpoint` wrote.
        base: The base model; without it the one that the checkpoint names is loaded.
        embedder: Likewise; of the settings, if theirs has that name.
        dtype: Of a base model that is loaded here, as in `load_base_model`.
        device: Likewise.

    Raises:
        CheckpointError: If files are missing or damaged or of another format, weights are missing,
            unexpected, not finite or of another shape, or base model or embedder are not those that
            it was trained with.
        SettingsError: If the base model or embedder that it names is not found.
    """
    config = read_config(folder)
    state = read_weights(folder, config)
    _check_finite(state)
    base = base or load_base_model(config.base_name, dtype=dtype, device=device)
    embedder = embedder or RememberingEmbedder(
        load_embedder(_source_of(config.embedder_name)), _REMEMBERED
    )
    _check_base(config, base)
    _check_embedder(config, embedder)
    model = GraphLlama(base, config.model, embedder)
    _check_shapes(state, model.trained_state())
    model.load_trained_state(state)
    return model.eval()


def _source_of(embedder_name: str) -> str:
    """Return what finds an embedder: the settings' own, by folder or owner, has a shorter name."""
    chosen = load_settings().embedder
    return chosen if Path(chosen).name == embedder_name else embedder_name


def _check_base(config: CheckpointConfig, base: BaseModel) -> None:
    if base.fingerprint != config.base_fingerprint:
        raise CheckpointError(
            f"the checkpoint was trained with the base model {config.base_name!r} of the "
            f"fingerprint {config.base_fingerprint}, but {base.name!r} has {base.fingerprint}",
            hint="use the base model that it was trained with, or train again",
        )


def _check_embedder(config: CheckpointConfig, embedder: Embedder) -> None:
    known = len(config.embedder_probe)
    if (embedder.name, embedder.dim) != (config.embedder_name, known):
        problem = f"not with {embedder.name!r} of {embedder.dim}"
    elif not is_same_probe(config.embedder_probe, probe_vector(embedder)):
        problem = "and this one gives other vectors"
    else:
        return
    raise CheckpointError(
        f"the checkpoint was trained with the embedder {config.embedder_name!r} of {known} values, "
        + problem,
        hint="use the embedder that it was trained with, or train again",
    )


def _check_finite(state: Mapping[str, Tensor]) -> None:
    for name, tensor in state.items():
        if not torch.isfinite(tensor).all():
            raise CheckpointError(
                f"the weight {name!r} holds a NaN or infinite number",
                hint="train again, with a smaller learning rate",
            )


def _check_shapes(state: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    hint = "config.json and model.safetensors do not belong together"
    missing = sorted(expected.keys() - state.keys())
    if missing:
        raise CheckpointError(f"the checkpoint has no weight {missing[0]!r}", hint=hint)
    for name, tensor in state.items():
        if name not in expected:
            raise CheckpointError(f"the checkpoint has an unknown weight {name!r}", hint=hint)
        form = (tuple(tensor.shape), tensor.dtype)
        wanted = (tuple(expected[name].shape), expected[name].dtype)
        if form != wanted:
            raise CheckpointError(
                f"the weight {name!r} is {form[0]} {form[1]}, not {wanted[0]} {wanted[1]}",
                hint=hint,
            )


@dataclass(frozen=True, slots=True)
class CheckpointConfig:
    """The models that a checkpoint's weights belong to.

    Attributes:
        base_name: The base model, as `load_base_model` finds it.
        base_fingerprint: Of the base model's weights.
        embedder_name: What made the vectors of nodes and edges.
        embedder_probe: Its vector of a fixed text, shape (dim,), by which it is known again.
        model: What is built around the base model.
        weights_hash: Of the file of weights; empty before it is written.
    """

    base_name: str
    base_fingerprint: str
    embedder_name: str
    embedder_probe: FloatArray
    model: GraphLlamaConfig
    weights_hash: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the content of `config.json`."""
        return {
            "format": FORMAT,
            "base_model": {"name": self.base_name, "fingerprint": self.base_fingerprint},
            "embedder": {"name": self.embedder_name, "probe": self.embedder_probe.tolist()},
            "graph_llama": self.model.to_json(),
            "weights": self.weights_hash,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Return what `config.json` says.

        Raises:
            KeyError: If a part is missing.
            TypeError: If a part has another form.
            SettingsError: If a choice of the model is unknown.
        """
        return cls(
            base_name=str(value["base_model"]["name"]),
            base_fingerprint=str(value["base_model"]["fingerprint"]),
            embedder_name=str(value["embedder"]["name"]),
            embedder_probe=np.array(value["embedder"]["probe"], dtype=np.float32),
            model=GraphLlamaConfig.from_json(value["graph_llama"]),
            weights_hash=str(value["weights"]),
        )


def write_files(folder: Path, config: CheckpointConfig, state: Mapping[str, Tensor]) -> None:
    """Write a checkpoint beside its place, then put it there at once.

    Raises:
        CheckpointError: If the place holds something that is no checkpoint, or cannot be written.
    """
    if folder.exists() and not _may_be_replaced(folder):
        raise CheckpointError(
            f"{folder} holds something that is no checkpoint", hint="name another folder"
        )
    weights = save({name: tensor.contiguous() for name, tensor in state.items()})
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as name:
            new, old = Path(name) / "new", Path(name) / "old"
            new.mkdir()
            (new / _WEIGHTS).write_bytes(weights)
            text = json.dumps(
                replace(config, weights_hash=weights_hash(weights)).to_json(), indent=2
            )
            (new / _CONFIG).write_text(text + "\n", encoding="utf-8")
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
    except OSError as error:
        raise CheckpointError(f"the checkpoint {folder} cannot be written: {error}") from error


def read_config(folder: Path) -> CheckpointConfig:
    """Return what a checkpoint's weights belong to.

    Raises:
        CheckpointError: If the file is missing, damaged or of another format.
    """
    try:
        value = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))
        version = value["format"]
        if version != FORMAT:
            raise CheckpointError(
                f"the checkpoint {folder} has the format {version!r}, this version reads {FORMAT}",
                hint="update Hoptrail, or train again",
            )
        return CheckpointConfig.from_json(value)
    except OSError as error:
        raise _unreadable(folder / _CONFIG, error) from error
    except (ValueError, KeyError, TypeError, SettingsError) as error:
        raise _damaged(folder / _CONFIG, error) from error


def read_weights(folder: Path, config: CheckpointConfig) -> dict[str, Tensor]:
    """Return a checkpoint's weights.

    Raises:
        CheckpointError: If the file is missing, damaged, or not the one that was written with the
            configuration.
    """
    try:
        content = (folder / _WEIGHTS).read_bytes()
        if weights_hash(content) != config.weights_hash:
            raise ValueError("its hash is not the one that config.json names")
        return load(content)
    except OSError as error:
        raise _unreadable(folder / _WEIGHTS, error) from error
    except (ValueError, SafetensorError) as error:
        raise _damaged(folder / _WEIGHTS, error) from error


def _may_be_replaced(folder: Path) -> bool:
    return folder.is_dir() and {path.name for path in folder.iterdir()} <= {_CONFIG, _WEIGHTS}


def weights_hash(content: bytes) -> str:
    """Return the hash by which `config.json` names a file of weights."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _unreadable(file: Path, error: OSError) -> CheckpointError:
    return CheckpointError(
        f"{file} cannot be read: {error.strerror}",
        hint="name a folder that hoptrail train wrote",
    )


def _damaged(file: Path, error: Exception) -> CheckpointError:
    return CheckpointError(f"{file} is damaged: {error}", hint="train again, or copy it anew")


def examples_digest(examples: Sequence[GraphExample]) -> str:
    """Return a digest of all that the examples say, in their order."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(json.dumps(example.to_json(), ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def weights_digest(weights: Mapping[str, Tensor]) -> str:
    """Return a digest of parameters, by name and value."""
    digest = hashlib.sha256()
    for name, weight in sorted(weights.items()):
        digest.update(name.encode())
        digest.update(weight.detach().float().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def claim_folder(folder: Path, run: Mapping[str, Any]) -> None:
    """Note in a folder which run it holds.

    Args:
        folder: The folder; `run.json` is written where it has none.
        run: What the run depends on, as JSON.

    Raises:
        CheckpointError: If the folder holds another run; names the first difference.
    """
    path = folder / RUN
    wanted = json.loads(json.dumps(run))
    if not path.exists():
        write_whole(path, json.dumps(wanted, indent=2) + "\n")
        return
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CheckpointError(f"{path} is damaged", hint="use another --out folder") from error
    difference = _first_difference(known, wanted)
    if difference is not None:
        name, old, new = difference
        raise CheckpointError(
            f"{folder} holds a training run with another {name}: {old!r}, not {new!r}",
            hint="give the same options and data to continue it, or another --out folder",
        )


def _first_difference(old: Any, new: Any) -> tuple[str, Any, Any] | None:
    """Return the dotted name of the first entry that differs, and its two values."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return None if old == new else ("", old, new)
    for name in {**new, **old}:
        difference = _first_difference(old.get(name), new.get(name))
        if difference is not None:
            rest, *values = difference
            return (f"{name}.{rest}".rstrip("."), values[0], values[1])
    return None
