from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from hoptrail.core.text import content_words
from hoptrail.retrievers.registry import make_retriever
from hoptrail.retrievers.text.bm25 import occurrences, question_terms, scores_of_occurrences
from hoptrail.stores.knowledge_base import KnowledgeBase


def naive_scores(texts: list[str], terms: list[str], k1: float, b: float) -> list[float]:
    counts = [Counter(content_words(text)) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths)
    scores = []
    for count, length in zip(counts, lengths, strict=True):
        score = 0.0
        for term in terms:
            holding = sum(term in other for other in counts)
            idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
            tf = count[term]
            score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4)])
def test_scores_equal_the_formula(ships: KnowledgeBase, k1: float, b: float) -> None:
    terms = question_terms("Which yard built ships, and who took bread to sea?")
    chunks = ships.store.chunks([str(id_) for id_ in ships.index.chunk_ids])
    expected = naive_scores([chunk.embedded_text for chunk in chunks], terms, k1, b)
    found = [occurrences(ships.lexicon, term) for term in terms]
    scores = scores_of_occurrences(ships.lexicon, found, k1, b)
    np.testing.assert_allclose(scores, expected, rtol=1e-4)
    assert np.count_nonzero(scores) > 2


def test_a_possessive_is_the_same_term(ships: KnowledgeBase) -> None:
    assert question_terms("the Yard's ships’ yard") == ["yard", "ships"]


def test_passages_without_a_question_word_are_left_out(ships: KnowledgeBase) -> None:
    chunks = make_retriever("bm25", ships).retrieve("caraway").chunks
    assert [hit.item.title for hit in chunks] == ["Quay bread"]


def test_a_question_in_chinese_finds_a_passage_by_pairs_of_characters(ships: KnowledgeBase) -> None:
    found = make_retriever("bm25", ships).retrieve("北港的橋是誰設計的？")
    assert [hit.item.title for hit in found.chunks][0] == "北港"
