"""Text embedders by name; `hoptrail.models.embedding` holds the kinds of them."""

from __future__ import annotations

import re
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hoptrail.core.embedding import Embedder, RemoteEmbedder
from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import Settings, load_settings
from hoptrail.models.embedding.packaged_models import PACKAGED_MODELS, load_packaged_model
from hoptrail.models.embedding.sentence_transformer_embedder import load_sentence_transformer

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_SERVED = re.compile(r"[a-z][a-z_]{1,40}:\S{1,200}")
_FASTEMBED = "fastembed:"

_load_lock = threading.Lock()
_registered: dict[str, Embedder] = {}


def register_embedder(name: str, embedder: Embedder) -> None:
    """Make an embedder of one's own usable by name; a second one of the name replaces it."""
    _registered[name] = embedder


def is_remote(name: str) -> bool:
    """Return whether an embedder's name stands for one that is called; loads nothing.

    That is a registered one of that kind, or `provider:model` where no folder has that name.
    """
    if name in _registered:
        return isinstance(_registered[name], RemoteEmbedder)
    is_served = _SERVED.fullmatch(name) is not None and not name.startswith(_FASTEMBED)
    return is_served and not Path(name).is_dir()


def load_embedder(name: str, settings: Settings | None = None) -> Embedder:
    """Return the embedder of that name, loaded once per process.

    Args:
        name: A registered name, or the name of a model that a package brings (`all-MiniLM-L6-v2`,
            with an owner before it or not), or a served model (`provider:model`), or one of
            FastEmbed (`fastembed:owner/model`). Any other is a Sentence Transformers model: a
            folder, or a name on the Hugging Face hub (`owner/model`).
        settings: Server, key and limits of a served model, else read; and whether a packaged model
            comes with its static one (`graph_vectors`).

    Raises:
        SettingsError: If it is not found, or its files are not the known ones; says what to do.
        MissingExtraError: If it needs Sentence Transformers or FastEmbed, and that is not
            installed.
        ModelKeyError: If a served model's key is missing.
    """
    if name in _registered:
        return _registered[name]
    if is_remote(name):
        from hoptrail.models.embedder_provider import open_served_embedder

        return open_served_embedder(name, settings or load_settings())
    with _load_lock:
        return _load(name, static=settings is None or settings.graph_vectors == "static")


def as_embedder(
    given: str | Embedder | Embeddings, settings: Settings, name: str | None = None
) -> Embedder:
    """Return the embedder that a program named or gave.

    Args:
        given: A name, as `load_embedder` knows it, an embedder, or a LangChain `Embeddings`.
        settings: Server, key and limits.
        name: Name of a LangChain `Embeddings`, by which knowledge bases know it.

    Raises:
        SettingsError: If a name is not found, or it is none of these.
    """
    if isinstance(given, str):
        return load_embedder(given, settings)
    # Here, because importing LangChain takes a while, and most never give such an object.
    from langchain_core.embeddings import Embeddings

    if isinstance(given, Embeddings):
        from hoptrail.models.embedder_provider import wrap_embeddings

        return wrap_embeddings(given, settings, name)
    if hasattr(given, "embed"):
        return given
    raise SettingsError(
        f"{type(given).__name__} is no embedder",
        hint="give a name, a LangChain Embeddings, or an object with name, dim and embed",
    )


@cache
def _load(name: str, *, static: bool) -> Embedder:
    if name.startswith(_FASTEMBED) and not Path(name).is_dir():
        from hoptrail.models.embedding.fastembed_embedder import load_fastembed

        return load_fastembed(name)
    short_name = Path(name).name
    if short_name in PACKAGED_MODELS and not Path(name).is_dir():
        return load_packaged_model(short_name, static=static)
    try:
        return load_sentence_transformer(short_name, name)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"no embedder {name!r} found",
            hint="name a folder with the model, go online for the hub, or use "
            + ", ".join(PACKAGED_MODELS),
        ) from error
