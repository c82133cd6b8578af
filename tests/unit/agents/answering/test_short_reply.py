from __future__ import annotations

import pytest

from hoptrail.agents.answering.short_reply import read_short_reply


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("62", "62"),
        ("The Boathouse.", "The Boathouse"),
        ("Edda Thorn [2]", "Edda Thorn"),
        ("Edda Thorn\n\nQuestion: Who was she?\nAnswer: An engineer", "Edda Thorn"),
        ("FINAL ANSWER: Edda Thorn", "Edda Thorn"),
        ('{"answer": "Edda Thorn", "passage": 2}', "Edda Thorn"),
        ("<think>The yard was founded by ...</think>\nEdda Thorn", "Edda Thorn"),
        ("Passage Island", "Passage Island"),
    ],
)
def test_any_form_of_an_answer_counts(reply: str, answer: str) -> None:
    assert read_short_reply(reply) == (answer,)


@pytest.mark.parametrize("reply", ["I don't know.", "Passage 3", "[2]", "<think>62, or is it"])
def test_what_gives_no_answer_is_an_abstention(reply: str) -> None:
    assert read_short_reply(reply) == ()


def test_a_number_is_an_answer_unless_it_stands_in_brackets() -> None:
    assert read_short_reply("2") == ("2",)
