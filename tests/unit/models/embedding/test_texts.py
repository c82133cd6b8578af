from __future__ import annotations

import pytest

from hoptrail.models.embedding.texts import batches_by_length, prefixes_of


@pytest.mark.parametrize(
    ("model", "question", "passage"),
    [
        ("ollama:nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("fastembed:nomic-ai/nomic-embed-text-v1.5-Q", "search_query: ", "search_document: "),
        ("fastembed:intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("ollama:snowflake-arctic-embed2", "query: ", ""),
        (
            "fastembed:snowflake/snowflake-arctic-embed-xs",
            "Represent this sentence for searching relevant passages: ",
            "",
        ),
        ("ollama:all-minilm", "", ""),
    ],
)
def test_a_model_has_the_prefixes_of_its_page(model: str, question: str, passage: str) -> None:
    prefixes = prefixes_of(model)
    assert prefixes.of_questions(["Where?"]) == [f"{question}Where?"]
    assert prefixes.of_passages(["There."]) == [f"{passage}There."]
    assert prefixes.are_alike == (question == passage)


def test_batches_hold_every_text_once_and_similar_lengths_together() -> None:
    lengths = [10, 4000, 20, 3900, 15, 800, 0]
    batches = list(batches_by_length(lengths))
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    assert batches[0] == [1, 3, 5, 2]


def test_many_long_texts_are_split_and_short_ones_share_a_batch() -> None:
    assert [len(batch) for batch in batches_by_length([4000] * 9)] == [4, 4, 1]
    assert [len(batch) for batch in batches_by_length([30] * 100)] == [100]


def test_no_text_makes_no_batch() -> None:
    assert list(batches_by_length([])) == []
