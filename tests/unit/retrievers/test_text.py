from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from hoptrail.core.text import content_words
from hoptrail.retrievers.registry import make_retriever
from hoptrail.retrievers.text import occurrences, question_terms, scores_of_occurrences, word_forms
from hoptrail.stores.knowledge_base import KnowledgeBase

WORDS = np.array(
    sorted(["lok", "lokomotive", "lokomotiven", "lohn", "réunion", "réunions", "清河"])
)


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


def found(term: str, language: str) -> list[str]:
    return [str(WORDS[row]) for row in word_forms(WORDS, term, language)]


def test_singular_and_plural_are_forms_of_one_word() -> None:
    assert found("lokomotive", "de") == ["lokomotive", "lokomotiven"]


@pytest.mark.parametrize("term", ["reunion", "réunions"])
def test_accents_make_no_other_word(term: str) -> None:
    assert found(term, "fr") == ["réunion", "réunions"]


def test_a_pair_of_characters_is_its_only_form() -> None:
    assert found("清河", "zh") == ["清河"]


def test_a_word_that_no_passage_has_has_no_forms() -> None:
    assert found("zug", "de") == []


def test_passages_come_in_the_order_of_the_documents(ships: KnowledgeBase) -> None:
    evidence = make_retriever("full", ships, k=1, budget=100_000).retrieve("anything")

    places = [(hit.item.doc_id, hit.item.start) for hit in evidence.chunks]
    assert places == sorted(places)
    assert len(places) == len(ships.index.chunk_ids)


def test_a_small_budget_keeps_the_first_passages(ships: KnowledgeBase) -> None:
    whole = make_retriever("full", ships, budget=100_000).retrieve("anything")
    first = make_retriever("full", ships, k=1, budget=0).retrieve("anything")

    assert first.chunks == whole.chunks[:1]
