"""Passages behind what a search of the graph reached."""

from __future__ import annotations

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.ranking.graph_ranking import Ranking, ranking_of
from hoptrail.stores.snapshot.graph_index import Csr

_ENTITY_SHARE = 0.05
_RELATION_SHARE = 0.1


def passages_behind(
    view: View, entities: Ranking, relations: Ranking, similarities: FloatArray
) -> Ranking:
    """Rank passages by their similarity and by the found entities and relations that they hold.

    To a passage's similarity up to 0.05 is added for the entities it mentions and up to 0.1 for the
    relations it states; an item counts one over its place, and the passage with most of a kind gets
    all of it.

    Args:
        view: The knowledge base.
        entities: Found entities, best first.
        relations: Found relations, best first.
        similarities: Similarity of every passage to the question, shape (passages,).
    """
    scores: FloatArray = (
        similarities
        + _ENTITY_SHARE * _support(view.index.entity_chunks, entities, len(similarities))
        + _RELATION_SHARE * _support(view.index.relation_chunks, relations, len(similarities))
    ).astype(np.float32)
    return ranking_of(scores)


def _support(chunks_of: Csr, items: Ranking, passages: int) -> FloatArray:
    """Return how much of the items each passage holds, shape (passages,), at most 1."""
    positions, chunks = chunks_of.gather(items.rows)
    support = np.bincount(chunks, weights=1.0 / (1 + positions), minlength=passages)
    scaled: FloatArray = (support / max(support.max(initial=0.0), 1e-9)).astype(np.float32)
    return scaled
