"""Vectors of relations in context: `head predicate tail`, for those that have none of their own."""

from __future__ import annotations

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.node_names import triple_words
from hoptrail.core.remembering_embedder import RememberingEmbedder
from hoptrail.core.types import Relation
from hoptrail.retrievers.base.per_generation import PerGeneration
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.stores.knowledge_source import KnowledgeSource

_END_WEIGHT = 0.25
_REMEMBERED = 20_000  # strings; 30 MB


def edge_similarities(
    kb: KnowledgeSource, view: View, question: FloatArray, rows: IntArray
) -> FloatArray:
    """Return how similar relations are to a question, each read with the names of its ends.

    A bare graph holds one vector for all relations of a predicate; such a relation is embedded
    here. Relations with a text of their own keep the vector they have.

    Args:
        kb: The knowledge base, which embeds texts.
        view: Its present generation.
        question: Unit vector, shape (dim,).
        rows: Rows of relations, shape (n,): all new ones are embedded in one batch.
    """
    scores = view.vectors["relation"].similarities_at(question, rows)
    ids = [str(id_) for id_ in view.index.relation_ids[rows]]
    known = {relation.id: relation for relation in view.store.relations(ids)}
    places = [n for n, id_ in enumerate(ids) if id_ in known and known[id_].is_bare]
    if places:
        texts = [edge_string(known[ids[place]]) for place in places]
        scores[places] = _embedder.of(kb, view).embed(texts) @ question
    return scores


def factored_similarities(view: View, question: FloatArray, rows: IntArray) -> FloatArray:
    """Return how similar relations are to a question by their parts, without embedding anything.

    To a relation's similarity a quarter of that of each of its ends is added.

    Args:
        view: The knowledge base.
        question: Unit vector, shape (dim,).
        rows: Rows of relations, shape (n,).
    """
    ends = np.concatenate([view.index.relation_source[rows], view.index.relation_target[rows]])
    near = view.vectors["entity"].similarities_at(question, ends).reshape(2, -1).sum(axis=0)
    scores: FloatArray = view.vectors["relation"].similarities_at(question, rows)
    scores += _END_WEIGHT * near
    return scores


def edge_string(relation: Relation) -> str:
    """Return head, predicate and tail as words; ends without a name are left out."""
    return triple_words(relation.subject, relation.predicate, relation.object)


def _remembering(kb: KnowledgeSource, view: View) -> RememberingEmbedder:
    return RememberingEmbedder(kb.embedder, _REMEMBERED)


_embedder = PerGeneration(_remembering)
