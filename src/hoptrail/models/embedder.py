"""Text embedders by name; `hoptrail.models.embedding` holds the kinds of them."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path

from hoptrail.core.embedding import Embedder
from hoptrail.core.errors import SettingsError
from hoptrail.models.embedding.packaged_models import PACKAGED_MODELS, load_packaged_model
from hoptrail.models.embedding.sentence_transformer_embedder import load_sentence_transformer

_load_lock = threading.Lock()
_registered: dict[str, Embedder] = {}


def register_embedder(name: str, embedder: Embedder) -> None:
    """Make an embedder of one's own usable by name; a second one of the name replaces it."""
    _registered[name] = embedder


def load_embedder(name: str) -> Embedder:
    """Return the embedder of that name, loaded once per process.

    Args:
        name: A registered name, or the name of a model that a package brings (`all-MiniLM-L6-v2`,
            with an owner before it or not). Any other is a Sentence Transformers model: a folder,
            or a name on the Hugging Face hub (`owner/model`).

    Raises:
        SettingsError: If it is not found, or its files are not the known ones; says what to do.
        MissingExtraError: If it needs Sentence Transformers, and that is not installed.
    """
    if name in _registered:
        return _registered[name]
    with _load_lock:
        return _load(name)


@cache
def _load(name: str) -> Embedder:
    short_name = Path(name).name
    if short_name in PACKAGED_MODELS and not Path(name).is_dir():
        return load_packaged_model(short_name)
    try:
        return load_sentence_transformer(short_name, name)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"no embedder {name!r} found",
            hint="name a folder with the model, go online for the hub, or use "
            + ", ".join(PACKAGED_MODELS),
        ) from error
