from __future__ import annotations

import pytest

from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.reading.candidates import Surroundings, is_other_end
from hoptrail.agents.reading.query import Query, read_query
from tests.embedders import CountingEmbedder
from tests.unit.agents.conftest import index_of

OPENED = "The lock at Brae was opened in 1874."
TEXT = "The policy runs from 1 April 2026 to 31 March 2027."


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def query() -> Query:
    return read_query("When was the lock at Brae opened?")


def surroundings(embedder: CountingEmbedder) -> Surroundings:
    sentences = [f"Barge number {number} carries coal to the mill." for number in range(300)]
    text = " ".join([*sentences, OPENED])
    index = index_of(text, title="The canal", doc_id="canal.txt")
    return Surroundings(index, TextSimilarity(embedder.embed))


def test_only_statements_near_the_question_are_embedded_with_their_titles(
    embedder: CountingEmbedder, query: Query
) -> None:
    surroundings(embedder).relevance(query)
    titled = [text for text in embedder.texts if text.startswith("The canal. ")]
    assert f"The canal. {OPENED}" in titled
    assert len(titled) < 100


def test_the_statement_with_the_words_of_the_question_is_the_most_relevant(
    embedder: CountingEmbedder, query: Query
) -> None:
    around = surroundings(embedder)
    relevance = around.relevance(query)
    assert around.statements[int(relevance.argmax())].text == OPENED


@pytest.mark.parametrize(
    ("question", "day", "expected"),
    [
        ("When does the insurance run out?", "1 April 2026", True),
        ("When does the insurance run out?", "31 March 2027", False),
        ("Until when does the policy run?", "1 April 2026", True),
        ("When does the policy start?", "31 March 2027", True),
        ("When does the policy start?", "1 April 2026", False),
        ("When was the policy signed?", "1 April 2026", False),
    ],
)
def test_end_that_is_not_asked_for_is_told_from_the_other(
    question: str, day: str, expected: bool
) -> None:
    start = TEXT.index(day)
    assert is_other_end(question, TEXT, start, start + len(day)) is expected
