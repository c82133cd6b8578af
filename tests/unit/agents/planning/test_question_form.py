from __future__ import annotations

import pytest

from hoptrail.agents.planning.question_form import asks_about_whole, mask_names, wording_cues


@pytest.mark.parametrize(
    ("question", "masked"),
    [
        ("Who is older, Ida Holm or Per Krogh?", "Who is older, X or X?"),
        ("Are Red Fern and Blue Moss both films?", "Are X and X both films?"),
        ("Who led the  University of Northern Oslo in 1931?", "Who led the X in X?"),
        ("Red Fern (1931 film) was shot where?", "X was shot where?"),
        ("who is older, ida holm or per krogh?", "who is older, ida holm or per krogh?"),
        ("", ""),
    ],
)
def test_names_are_masked(question: str, masked: str) -> None:
    assert mask_names(question) == masked


def test_questions_that_differ_in_names_alone_give_equal_cues() -> None:
    first = wording_cues(mask_names("Who is older, Ida Holm or Per Krogh?"))
    second = wording_cues(mask_names("Who is older, Max Or or Both Same?"))
    assert first.any()
    assert first.tolist() == second.tolist()


@pytest.mark.parametrize(
    ("text", "cue"),
    [("Why did X fall?", 7), ("How does X differ?", 7), ("Who is the stepchild of X?", 8)],
)
def test_what_is_concluded_is_told_from_what_is_looked_up(text: str, cue: int) -> None:
    assert wording_cues(text)[cue] == 1
    assert wording_cues("How many songs did X write?")[cue] == 0


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
