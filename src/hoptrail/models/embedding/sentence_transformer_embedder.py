"""A Sentence Transformers model as an embedder, on torch."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hoptrail.core.embedding import FloatArray
from hoptrail.core.optional import quiet_loading, require
from hoptrail.models.embedding.texts import LONGEST, embed_in_batches

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class SentenceTransformerEmbedder:
    """Embeds with a Sentence Transformers model on the processor; safe to share between threads.

    Texts are cut at 256 tokens, or earlier where the model ends.

    Args:
        name: Stable name of the model, stored with knowledge bases.
        model: The loaded model.
    """

    def __init__(self, name: str, model: SentenceTransformer) -> None:
        model.max_seq_length = min(model.max_seq_length or LONGEST, LONGEST)
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
        with _THREADS.one_each() as workers:
            return embed_in_batches(texts, self._dim, self._embed_batch, workers)

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


def load_sentence_transformer(name: str, source: str) -> SentenceTransformerEmbedder:
    """Return the embedder of a folder with a model, or of a model's name on the hub.

    Args:
        name: Stable name of the model, stored with knowledge bases.
        source: The folder, or the name on the hub (`owner/model`).

    Raises:
        MissingExtraError: If the library is not installed.
        OSError: If no model is found, or its files cannot be read.
        ValueError: If they are no model.
    """
    # Here, because importing torch takes seconds.
    library = require(
        "sentence_transformers", extra="sentence-transformers", purpose=f"the embedder {source!r}"
    )
    with quiet_loading():
        return SentenceTransformerEmbedder(name, library.SentenceTransformer(source, device="cpu"))
