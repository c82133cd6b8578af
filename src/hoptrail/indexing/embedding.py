"""Gives every text of a knowledge base its vector."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.embedding import Embedder
from hoptrail.core.progress import Progress
from hoptrail.stores.knowledge_base import KnowledgeBase

_BATCH = 512


def embed_missing(
    kb: KnowledgeBase,
    embedder: Embedder,
    progress: Progress,
    stage: str,
    texts: Sequence[str] | None = None,
) -> None:
    """Embed the texts that have no vector yet; each batch is stored at once.

    Texts of similar length share a batch, so that little is padded.

    Args:
        kb: Where the vectors go.
        embedder: Makes them.
        progress: Observer.
        stage: Its name for this work.
        texts: The texts, where the caller knows them; else those of the present tables.
    """
    missing = kb.texts_without_vectors() if texts is None else texts
    texts = sorted(missing, key=lambda text: (-len(text), text))
    progress.start(stage, len(texts))
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        kb.put_embeddings(batch, embedder.embed(batch))
        progress.advance(stage, len(batch))
    progress.finish(stage)
