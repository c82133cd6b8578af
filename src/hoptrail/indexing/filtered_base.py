"""Derives what a filter's documents make by themselves: graph, vectors, words, statistics."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from hoptrail.core.budget import current_meter
from hoptrail.core.progress import NoProgress
from hoptrail.core.types import ExtractedRelation, Extraction, NodeUsage
from hoptrail.indexing.derivation import derive_graph
from hoptrail.indexing.embedding import EmbeddingAccount, embed_missing, lacking_vectors
from hoptrail.indexing.given_graphs.ms_graphrag.graph import EXTRACTOR
from hoptrail.stores.knowledge_base import KnowledgeBase

_BATCH = 4096


def build_filtered_base(whole: KnowledgeBase, folder: Path, doc_ids: Collection[str]) -> None:
    """Write the published knowledge base of some of another's documents into an empty folder.

    It is what indexing these documents alone would give: entities, names, descriptions, relations
    and weights come from their passages only. No chat model is called. Texts that read otherwise
    than in the whole base, such as a description that other documents took part in, are embedded.

    Args:
        whole: Opened with its embedder; all that was written is published.
        folder: An empty folder.
        doc_ids: Documents that it holds.
    """
    whole.copy_documents(folder, sorted(doc_ids))
    with KnowledgeBase.open(folder, embedder=whole.embedder, writable=True) as part:
        _drop_mixed_descriptions(whole, part, doc_ids)
        derive_graph(part, NoProgress())
        _take_vectors(whole, part)
        _embed(part)
        part.publish()


def _embed(part: KnowledgeBase) -> None:
    """Embed what has no vector yet; what that costs is booked to the question that asked for it."""
    account = EmbeddingAccount()
    try:
        embed_missing(part, part.embedder, NoProgress(), "embed", account=account)
    finally:
        if (question := current_meter()) is not None:
            question.take_over(account.meter)


def _take_vectors(whole: KnowledgeBase, part: KnowledgeBase) -> None:
    """Give the texts of the part the vectors that the whole has of them."""
    texts = iter(lacking_vectors(part, part.embedder))
    while batch := list(islice(texts, _BATCH)):
        vectors = whole.embeddings(batch)
        known = np.flatnonzero(vectors.any(axis=1))
        part.put_embeddings([batch[place] for place in known.tolist()], vectors[known])


def _drop_mixed_descriptions(
    whole: KnowledgeBase, part: KnowledgeBase, doc_ids: Collection[str]
) -> None:
    """Empty what an imported index says of things that stand in other documents too.

    Microsoft GraphRAG writes one description of all passages that a thing stands in, and its index
    keeps no parts that it could be written anew from. What stands in no passage belongs to no
    document: it is left out.
    """
    if not part.extraction_status(EXTRACTOR):
        return
    outside = _Told()
    for doc_id, _, extractor, extraction in whole.mentions():
        if extractor == EXTRACTOR and doc_id not in doc_ids:
            outside.add(extraction)
    mentions = [mention for mention in part.mentions() if mention[2] == EXTRACTOR]
    with part.transaction():
        for doc_id, chunk_id, _, extraction in mentions:
            told = outside.without(extraction) if chunk_id else Extraction()
            part.put_extraction(doc_id, chunk_id, EXTRACTOR, told, NodeUsage())


class _Told:
    """The entities and relations of some imported passages, by name."""

    def __init__(self) -> None:
        self._entities: set[str] = set()
        self._relations: set[tuple[str, str]] = set()

    def add(self, extraction: Extraction) -> None:
        """Add those of a passage."""
        self._entities.update(entity.name for entity in extraction.entities)
        self._relations.update(_ends(extraction.relations))

    def without(self, extraction: Extraction) -> Extraction:
        """Return a passage's extraction without the descriptions of what is told elsewhere."""
        return replace(
            extraction,
            entities=tuple(
                replace(entity, description="") if entity.name in self._entities else entity
                for entity in extraction.entities
            ),
            relations=tuple(
                replace(one, description="") if ends in self._relations else one
                for one, ends in zip(extraction.relations, _ends(extraction.relations), strict=True)
            ),
        )


def _ends(relations: Sequence[ExtractedRelation]) -> Iterator[tuple[str, str]]:
    return ((one.subject, one.object) for one in relations)
