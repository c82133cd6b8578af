"""Vectors of predicates: on a bare graph the relations of a predicate share one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.names import predicate_words
from hoptrail.retrievers.base.per_generation import PerGeneration
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.stores.knowledge_source import KnowledgeSource


def shared_vectors(
    kb: KnowledgeSource, view: View, texts: Mapping[int, str]
) -> dict[int, FloatArray]:
    """Return the vectors that the base holds of texts of predicates, by the predicate's number.

    A predicate is left out where its first relation has a text of its own, or where the base reads
    its name in other words.

    Args:
        kb: The knowledge base.
        view: Its present generation.
        texts: How predicates are read, by number.
    """
    rows = first_relations.of(kb, view)[list(texts)]
    ids = [str(id_) for id_ in view.index.relation_ids[rows]]
    known = {relation.id: relation for relation in view.store.relations(ids)}
    vectors = view.vectors["relation"].vectors_at(rows)
    return {
        predicate: vector
        for (predicate, text), id_, vector in zip(texts.items(), ids, vectors, strict=True)
        if id_ in known
        and known[id_].is_bare
        and predicate_words(known[id_].predicate) == text
        and vector.any()
    }


def _first_relations(kb: KnowledgeSource, view: View) -> IntArray:
    """Return the first relation of each predicate, shape (p,)."""
    predicates = view.index.relation_predicate
    first = np.zeros(len(view.index.predicates), dtype=np.int32)
    first[predicates[::-1]] = np.arange(len(predicates), dtype=np.int32)[::-1]  # the last one stays
    return first


first_relations = PerGeneration(_first_relations)
