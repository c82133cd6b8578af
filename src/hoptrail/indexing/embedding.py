"""Gives every text of a knowledge base its vector."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from hoptrail.core.embedding import Embedder, RemoteEmbedder, embed_each, static_of
from hoptrail.core.progress import Progress
from hoptrail.indexing.model_calls.embedding_account import EmbeddingAccount
from hoptrail.stores.knowledge_base import KnowledgeBase

_BATCH = 512
_LOCAL_BYTES = 1 << 25  # of vectors: the more are stored at once, the less is written in all
_FIRST = 64  # how long texts take is not known yet
_LEAST = 8
_SECONDS = 10.0


def embed_missing(
    kb: KnowledgeBase,
    embedder: Embedder,
    progress: Progress,
    stage: str,
    texts: Sequence[str] | None = None,
    *,
    account: EmbeddingAccount | None = None,
) -> None:
    """Embed the texts that have no vector yet; they are stored about every ten seconds.

    Texts of similar length share a batch, so that little is padded. What a remote embedder sends is
    stored as it comes: it is paid for. What is left to a static model is left out.

    Args:
        kb: Where the vectors go.
        embedder: Makes them.
        progress: Observer.
        stage: Its name for this work.
        texts: The texts, where the caller knows them; else those of the present tables.
        account: What a remote embedder costs and may cost.

    Raises:
        CostLimitError: If the next texts could pass the limit; the vectors so far are stored.
    """
    account = account or EmbeddingAccount()
    missing = lacking_vectors(kb, embedder) if texts is None else texts
    texts = sorted(missing, key=lambda text: (-len(text), text))
    progress.start(stage, len(texts))
    is_local = account.price is None and not isinstance(embedder, RemoteEmbedder)
    most = _local_batch(embedder) if is_local else _BATCH
    start = 0
    size = _FIRST
    while batch := texts[start : start + size]:
        begin = monotonic()
        with account.paying_for(batch):
            for places, vectors in embed_each(embedder, batch):
                kb.put_embeddings([batch[place] for place in places], vectors)
                progress.advance(stage, len(places))
        start += size
        seconds = max(monotonic() - begin, 1e-6)
        # A kill must not cost more than that, on a slow machine either.
        size = max(_LEAST, min(most, int(size * _SECONDS / seconds)))
    progress.finish(stage)


def lacking_vectors(kb: KnowledgeBase, embedder: Embedder) -> list[str]:
    """Return the texts without a vector that the embedder itself is to embed.

    What was read in passages is left to its static model, where it has one; that embeds when all
    is published, and nothing of it is stored.
    """
    return kb.texts_without_vectors(read=static_of(embedder) is None)


def _local_batch(embedder: Embedder) -> int:
    """Return how many texts are embedded at once at most, where that takes no time to speak of."""
    return max(_BATCH, _LOCAL_BYTES // (4 * embedder.dim))
