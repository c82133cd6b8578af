"""The embedder that nodes are handed: a knowledge base's own, with the base's vectors."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.embedding import Embed, FloatArray, RemoteEmbedder, static_of
from hoptrail.stores.knowledge_source import KnowledgeSource


class StoredVectorEmbedder:
    """Embeds with a knowledge base's embedder what the base has no vector of.

    Its passages, sentences and names have one, stored or among the published arrays: only other
    texts reach the model.

    Args:
        kb: Opened with its embedder.
    """

    def __init__(self, kb: KnowledgeSource) -> None:
        self._kb = kb

    @property
    def name(self) -> str:
        """The name of the model that embeds."""
        return self._kb.embedder.name

    @property
    def dim(self) -> int:
        """Vector length."""
        return self._kb.embedder.dim

    @property
    def is_remote(self) -> bool:
        """Whether what the base has no vector of is sent to a server."""
        return isinstance(self._kb.embedder, RemoteEmbedder)

    @property
    def embed_roughly(self) -> Embed | None:
        """The vectors of the embedder's static model, None without one."""
        static = static_of(self._kb.embedder)
        return None if static is None else static.embed

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of the texts, shape (len(texts), dim), float32."""
        return self._kb.embed_texts(texts)
