from __future__ import annotations

import pytest

from hoptrail.agents.dagr.decomposer import (
    MAX_SUB_QUESTIONS,
    decompose,
    fill_in,
    split_by_clauses,
    usable_sub_questions,
)
from tests.unit.agents.role_models import QUESTION, scripted_role

STEPS = ["Who designed Maple Bridge?", "Where was #1 born?"]


async def test_the_model_writes_the_sub_questions() -> None:
    model, script = scripted_role("decomposer", {"sub_questions": STEPS})

    assert await decompose(QUESTION, model) == tuple(STEPS)
    assert QUESTION in script.calls[0].text


async def test_without_a_model_clauses_decide() -> None:
    decomposed = await decompose(QUESTION, None)

    assert decomposed == ("the designer of Maple Bridge", "Where was #1 born?")


async def test_an_empty_decomposition_leaves_the_question_whole() -> None:
    model, _ = scripted_role("decomposer", {"sub_questions": []})

    assert await decompose(QUESTION, model) == (QUESTION,)
    assert model.meter.degraded


async def test_unreadable_replies_fall_back_to_clauses() -> None:
    model, _ = scripted_role("decomposer", "no", "no")

    decomposed = await decompose(QUESTION, model)

    assert len(decomposed) == 2
    assert model.meter.degraded


@pytest.mark.parametrize(
    ("written", "usable"),
    [
        (["Who is #2?", "Who is #1?"], ()),
        (["Who is #1?"], ()),
        (["Who?", "Where is #7?"], ("Who?",)),
        (["", "Who?", "  ", "Where is #2?"], ("Who?", "Where is #1?")),
        (["Who?", "Who?", "Where is #2?"], ("Who?", "Where is #1?")),
        (["Who is #2?", "Who?", "Where is #1?", "When was #2?"], ("Who?", "When was #1?")),
    ],
    ids=["cycle", "self", "unknown", "empty", "repeated", "forward"],
)
def test_sub_questions_that_cannot_be_asked_are_left_out(
    written: list[str], usable: tuple[str, ...]
) -> None:
    assert usable_sub_questions(written) == usable


def test_a_long_list_is_cut() -> None:
    assert len(usable_sub_questions([f"Who is {n}?" for n in range(50)])) == MAX_SUB_QUESTIONS


def test_answers_take_the_place_of_references() -> None:
    assert fill_in("Where was #1 born?", STEPS[:1], ["Ida Holm"]) == "Where was Ida Holm born?"


def test_an_answer_that_was_not_found_is_described() -> None:
    filled = fill_in("Where was #1 born?", STEPS[:1], [""])

    assert filled == "Where was (Who designed Maple Bridge) born?"


def test_a_question_without_a_name_stays_whole() -> None:
    assert split_by_clauses("what is it?") == ("what is it?",)
