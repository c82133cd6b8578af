import pytest

from hoptrail.agents.planning.global_question import asks_about_whole


@pytest.mark.parametrize(
    "question",
    [
        "What are the main conflicts and how do they resolve?",
        "What are the top 5 themes in the data?",
        "Summarize the collection.",
        "Across the documents, which risk factors are mentioned most?",
        "How does the attitude towards money change over the course of the story?",
        "What is this book about?",
        "Who are the central people of the whole book and how do they relate?",
        "What does the work as a whole say about money?",
        "Which places matter in the entire novel?",
        "What ideas recur throughout?",
        "Summarize everything.",
    ],
)
def test_a_question_about_the_collection_is_known_by_its_wording(question: str) -> None:
    assert asks_about_whole(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who founded the yard that built the Morning Tern?",
        "What are the main themes of Morning Tern?",
        "what was the name of the book that the engineer wrote",
        "which yard was founded first",
        "Who wrote the whole of the ship's log?",
        "Which language is spoken in the country as a whole?",
        "Which lights burn throughout the night?",
    ],
)
def test_a_question_with_something_to_start_from_is_none(question: str) -> None:
    assert not asks_about_whole(question)
