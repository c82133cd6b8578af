from __future__ import annotations

import pytest

from hoptrail.models.embedding.prefixes import prefixes_of


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
