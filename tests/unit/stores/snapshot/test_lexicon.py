from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from hoptrail.core.text import content_words, sentences
from hoptrail.core.types import Chunk
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.snapshot.graph_index import rows_of
from hoptrail.testing import HashingEmbedder

Put = Callable[[str, str, str], Chunk]
Publish = Callable[[], int]

TEXTS = [
    "The river Seine flows through Paris. Paris is old. The Seine is long.",
    "Berlin lies on the Spree. The river is short.",
    "Paris is old. It has 20 districts!",
]


def test_counts_agree_with_a_plain_count(kb: KnowledgeBase, put: Put, publish: Publish) -> None:
    chunks = [put(f"s/{i}", "Old Paris", text) for i, text in enumerate(TEXTS)]
    publish()
    lexicon = kb.lexicon
    expected = {chunk.id: Counter(content_words(chunk.embedded_text)) for chunk in chunks}
    assert lexicon.words.tolist() == sorted({word for bag in expected.values() for word in bag})
    for row, word in enumerate(lexicon.words):
        found = {
            str(kb.index.chunk_ids[place]): int(count)
            for place, count in zip(
                lexicon.word_chunks.row(row), lexicon.word_chunks.weights(row), strict=True
            )
        }
        assert found == {id_: bag[word] for id_, bag in expected.items() if bag[word]}
    for id_, bag in expected.items():
        assert lexicon.chunk_length[rows_of(kb.index.chunk_ids, [id_])[0]] == sum(bag.values())


def test_single_digits_and_endless_words_are_no_words(
    kb: KnowledgeBase, put: Put, publish: Publish
) -> None:
    put("s/1", "T1", f"In 7 of 77 cases x {'q' * 65}.")
    publish()
    assert kb.lexicon.words.tolist() == ["77", "cases", "t1", "x"]
    assert kb.lexicon.chunk_length.tolist() == [4]


def test_a_words_vector_is_the_unit_mean_of_its_distinct_sentences(
    kb: KnowledgeBase, put: Put, publish: Publish, embedder: HashingEmbedder
) -> None:
    for i, text in enumerate(TEXTS):
        put(f"s/{i}", "T", text)
    publish()
    distinct = sorted({sentence for text in TEXTS for sentence in sentences(text)})
    for word in ("paris", "river", "old", "20"):
        mean = embedder.embed([s for s in distinct if word in content_words(s)]).mean(axis=0)
        (vector,) = kb.vectors("word").vectors([word])
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=2e-3)


def test_a_word_that_stands_in_titles_only_has_no_vector(
    kb: KnowledgeBase, put: Put, publish: Publish
) -> None:
    put("s/1", "Headline", "Text.")
    publish()
    assert kb.lexicon.words.tolist() == ["headline", "text"]
    assert kb.vectors("word").vectors(["headline"]).any() == np.False_
    assert len(kb.vectors("word")) == 1
