from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hoptrail.core.types import Chunk, Entity, Relation
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.snapshot.graph_index import csr_from_pairs
from hoptrail.stores.snapshot.vector_builder import word_lengths
from hoptrail.testing import HashingEmbedder

Put = Callable[[str, str, str], Chunk]


@pytest.fixture
def mixed(kb: KnowledgeBase, put: Put, publish: Callable[[], int]) -> dict[str, str]:
    """A graph of relations with a description, a passage, or neither; the text of each by id."""
    chunk = put("s/1", "Ada", "Ada lives in Rome.")
    entities = [Entity("a", "Ada"), Entity("b", "Rome"), Entity("m", "m.0abc")]
    relations = [
        Relation("1", "a", "lives_in", "b"),
        Relation("2", "a", "lives_in", "b", "Ada has lived in Rome since 1840."),
        Relation("3", "a", "lives_in", "b", chunk_ids=(chunk.id,)),
        Relation("4", "a", "lives_in", "m"),
        Relation("5", "a", "bornIn", "b"),
        Relation("6", "b", "houses", "a", "lives in"),
    ]
    kb.replace_graph(entities, relations, [])
    publish()
    return {
        "1": "lives in",
        "2": "Ada has lived in Rome since 1840.",
        "3": "Ada lives_in Rome",
        "4": "lives in",
        "5": "born In",
        "6": "lives in",
    }


def test_only_relations_with_nothing_of_their_own_share_their_predicates_vector(
    kb: KnowledgeBase, mixed: dict[str, str]
) -> None:
    found = kb.vectors("relation").vectors(list(mixed))
    np.testing.assert_allclose(found, HashingEmbedder().embed(list(mixed.values())), atol=1e-3)


def test_no_text_of_a_bare_relation_or_unnamed_node_is_embedded(
    kb: KnowledgeBase, mixed: dict[str, str]
) -> None:
    kb.change_embedder(HashingEmbedder(32))
    texts = kb.texts_without_vectors()
    passage = "Ada lives in Rome."
    assert sorted(texts) == sorted({*mixed.values(), "Ada", "Rome", passage, f"Ada\n{passage}"})


def test_vectors_of_passages_are_kept_in_two_bytes_a_number(
    kb: KnowledgeBase, put: Put, publish: Callable[[], int]
) -> None:
    chunk = put("s/1", "Ada", "Ada lives in Rome.")
    publish()
    vectors = kb.vectors("chunk").vectors([chunk.id])
    (wanted,) = HashingEmbedder().embed([chunk.embedded_text])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors[0], wanted, atol=1e-5)
    ids, scores = kb.vectors("chunk").search(wanted, 1)
    assert ids.tolist() == [chunk.id]
    np.testing.assert_allclose(scores, 1, atol=1e-5)
    (path,) = kb.path.glob("cache/*/chunk_vectors.npy")
    assert np.load(path, mmap_mode="r").dtype == np.int16


@pytest.mark.parametrize("n_words", [3, 600])  # summed by themselves, and by a sparse matrix
def test_a_words_length_is_that_of_the_sum_over_all_its_sentences(n_words: int) -> None:
    random = np.random.default_rng(7)
    vectors = random.normal(size=(70_000, 4)).astype(np.float32)
    words = np.arange(n_words, dtype=np.int32)
    word = np.repeat(words, 40_000 // n_words)
    sentence = random.integers(0, len(vectors), len(word), dtype=np.int32)
    sentences = csr_from_pairs(word, sentence, n_words)

    lengths = word_lengths(sentences, words, lambda rows: vectors[rows])

    sums = [vectors[sentences.row(place)].sum(axis=0) for place in range(n_words)]
    assert lengths == pytest.approx(np.linalg.norm(sums, axis=1), rel=1e-4)
