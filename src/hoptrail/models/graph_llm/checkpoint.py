"""Checkpoints of a graph language model: the trained part, tied to what it was trained with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from hoptrail.core.embedding import Embedder, is_same_probe, probe_vector
from hoptrail.core.errors import CheckpointError
from hoptrail.core.remembering_embedder import RememberingEmbedder
from hoptrail.core.settings import load_settings
from hoptrail.models.embedder import load_embedder
from hoptrail.models.graph_llm.base_model import BaseModel, load_base_model
from hoptrail.models.graph_llm.checkpoint_files import (
    CheckpointConfig,
    read_config,
    read_weights,
    write_files,
)
from hoptrail.models.graph_llm.model import GraphLlama

_REMEMBERED = 20_000  # texts; 30 MB of vectors of 384 values


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
