"""A model of FastEmbed as an embedder: quantised or exported to ONNX, without torch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import ModelReplyError, SettingsError
from hoptrail.core.optional import quiet_loading, require
from hoptrail.models.embedding.texts import embed_in_batches, prefixes_of


class FastEmbedModel(Protocol):
    """The part of `fastembed.TextEmbedding` that is used."""

    @property
    def embedding_size(self) -> int:
        """Vector length by the model's description."""
        ...

    def embed(self, documents: Sequence[str], batch_size: int) -> Iterable[FloatArray]:
        """Yield a vector for each text."""
        ...


class FastEmbedEmbedder:
    """Embeds with a model of FastEmbed; safe to share between threads.

    Questions get the prefix that the model was trained with, and so do passages.

    Args:
        name: Stable name of the model, stored with knowledge bases.
        model: The loaded model.
    """

    def __init__(self, name: str, model: FastEmbedModel) -> None:
        self._name = name
        self._model = model
        self._prefixes = prefixes_of(name)
        self.is_symmetric = self._prefixes.are_alike
        self._dim = model.embedding_size

    @property
    def name(self) -> str:
        """The model's name, `fastembed:owner/model`."""
        return self._name

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._dim

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of passages, shape (len(texts), dim), float32.

        Raises:
            ModelReplyError: If the model gives other vectors than its description says.
        """
        return self._embed(self._prefixes.of_passages(texts))

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of questions, shape (len(texts), dim); errors as of passages."""
        return self._embed(self._prefixes.of_questions(texts))

    def _embed(self, texts: Sequence[str]) -> FloatArray:
        # ONNX Runtime splits each batch among the cores itself.
        return embed_in_batches(texts, self._dim, self._embed_batch, workers=1)

    def _embed_batch(self, texts: list[str]) -> FloatArray:
        vectors = np.array(list(self._model.embed(texts, batch_size=len(texts))), dtype=np.float32)
        norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
        if vectors.shape != (len(texts), self._dim) or not (np.isfinite(norms) & (norms > 0)).all():
            raise ModelReplyError(
                f"embedder {self._name} gave vectors of the shape {vectors.shape} for "
                f"{len(texts)} texts, or some that have no direction",
                hint="install the model anew, or use another embedder",
            )
        unit: FloatArray = vectors / norms
        return unit


def load_fastembed(name: str) -> FastEmbedEmbedder:
    """Return the embedder `fastembed:owner/model`; downloaded once, by FastEmbed.

    Args:
        name: With the name that FastEmbed knows the model by.

    Raises:
        MissingExtraError: If FastEmbed is not installed.
        SettingsError: If it knows no such model, or cannot get its files.
    """
    # Here, because importing it takes a second.
    library = require("fastembed", extra="fastembed", purpose=f"the embedder {name!r}")
    model = name.partition(":")[2]
    known = [one["model"] for one in library.TextEmbedding.list_supported_models()]
    if model.lower() not in map(str.lower, known):
        raise SettingsError(
            f"FastEmbed knows no model {model!r}",
            hint="fastembed.TextEmbedding.list_supported_models() lists them",
        )
    try:
        with quiet_loading():
            return FastEmbedEmbedder(name, library.TextEmbedding(model))
    except (OSError, ValueError, RuntimeError) as error:
        raise SettingsError(
            f"the files of {model!r} cannot be had: {' '.join(str(error).split())}",
            hint="go online once, or set FASTEMBED_CACHE_PATH to a folder that has them",
        ) from error
