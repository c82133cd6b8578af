from __future__ import annotations

import pytest

from hoptrail.agents.answering.short_reply import read_short_reply

PASSAGES = """
Opry Mills is a super-regional shopping mall. The school bus is run by Hallett Coaches.
Tool: Hedge trimmer; Per day: £9. Tool: Lawn scarifier; Per day: £12. Tool: Apple press; Per day: £8
Item: Damson jam; Shelf: D1; Price each: £3.20
"""


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


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Where is the damson jam?", "You find the damson jam on shelf D1.", "shelf D1"),
        ("Who operates the bus?", "The bus is operated by Hallett Coaches.", "Hallett Coaches"),
        (
            "What is Opry Mills?",
            "According to [1], Opry Mills is a super-regional shopping mall in Nashville.",
            "super-regional shopping mall",
        ),
    ],
)
def test_of_a_sentence_that_repeats_the_question_the_rest_counts(
    question: str, reply: str, answer: str
) -> None:
    assert read_short_reply(reply, question, PASSAGES) == (answer,)


@pytest.mark.parametrize(
    "reply",
    ["£3.20 a jar", "The bus is run by Marlow Cars", "The bus leaves from Stane Mill at nine"],
)
def test_what_no_passage_has_stays_as_it_was_written(reply: str) -> None:
    assert read_short_reply(reply, "Who runs the bus?", PASSAGES) == (reply,)


def test_items_of_a_list_that_stand_apart_are_several_answers() -> None:
    reply = "hedge trimmer, lawn scarifier and apple press"
    found = read_short_reply(reply, "Which tools can I hire?", PASSAGES)
    assert found == ("hedge trimmer", "lawn scarifier", "apple press")


def test_a_list_with_an_item_that_no_passage_has_is_one_answer() -> None:
    reply = "hedge trimmer, chainsaw"
    assert read_short_reply(reply, "Which tools can I hire?", PASSAGES) == (reply,)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Are both of them Italian?", "yes"), ("Who is Italian?", "Yes, both are Italian")],
)
def test_a_yes_with_its_reason_is_a_yes_where_that_was_asked(question: str, answer: str) -> None:
    assert read_short_reply("Yes, both are Italian.", question, PASSAGES) == (answer,)


def test_a_reason_stays_as_it_was_written() -> None:
    reply = "The jam is dear because the damson jam is on shelf D1"
    assert read_short_reply(reply, "Why is the damson jam dear?", PASSAGES) == (reply,)
