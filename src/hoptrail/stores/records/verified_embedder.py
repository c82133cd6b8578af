"""A remote embedder with the check that it still is the one that a knowledge base knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hoptrail.core.embedding import FloatArray, RemoteEmbedder, probe_vector
from hoptrail.core.errors import EmbedderMismatchError
from hoptrail.stores.records.embedding_table import EmbedderRecord, how_to_reembed


class VerifiedEmbedder(RemoteEmbedder):
    """Compares what a remote embedder sends with the record: opening a base calls nothing.

    Every vector's length is checked. Before the first passages, whose vectors will be stored, a
    fixed text is embedded too: another model under the same name is found by it.

    Args:
        embedder: Of the name that the record has.
        record: What the knowledge base knows of it.
        folder: Of the knowledge base, for messages.
    """

    def __init__(self, embedder: RemoteEmbedder, record: EmbedderRecord, folder: Path) -> None:
        self.is_symmetric = embedder.is_symmetric
        self._embedder = embedder
        self._record = record
        self._folder = folder
        self._is_probed = False

    @property
    def name(self) -> str:
        """The name of the model that embeds."""
        return self._record.name

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._record.dim

    def embed_each(self, texts: Sequence[str]) -> Iterator[tuple[list[int], FloatArray]]:
        """Yield places of passages with their unit vectors, shape (len(places), dim), as they come.

        Raises:
            EmbedderMismatchError: If it gives other vectors than when the base was embedded.
        """
        if texts and not self._is_probed:
            probe = probe_vector(self._embedder)
            self._check(probe)
            if not self._record.is_same(self.name, probe):
                raise self._mismatch(f"{self.name!r} gives other vectors than when it was embedded")
            self._is_probed = True
        for places, vectors in self._embedder.embed_each(texts):
            self._check(vectors)
            yield places, vectors

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of texts to compare with others, shape (len(texts), dim)."""
        if not texts:
            return super().embed(texts)
        vectors = self._embedder.embed(texts)
        self._check(vectors)
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of questions, shape (len(texts), dim)."""
        vectors = self._embedder.embed_queries(texts)
        self._check(vectors)
        return vectors

    def _check(self, vectors: FloatArray) -> None:
        if vectors.shape[-1] != self.dim:
            told = f"its vectors have {self.dim} dimensions, {self.name!r} sends"
            raise self._mismatch(f"{told} {vectors.shape[-1]}")

    def _mismatch(self, problem: str) -> EmbedderMismatchError:
        hint = how_to_reembed(self._folder, self.name)
        return EmbedderMismatchError(f"{self._folder}: {problem}", hint=hint)
