"""The two files of a checkpoint: weights, and what they belong to."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import CheckpointError, SettingsError
from hoptrail.models.graph_llm.config import GraphLlamaConfig

FORMAT = 1
_CONFIG = "config.json"
_WEIGHTS = "model.safetensors"


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
