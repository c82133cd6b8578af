from __future__ import annotations

import pytest

from hoptrail.agents.dagr.sub_question_solver import solve
from hoptrail.core.render import render
from hoptrail.core.types import Evidence
from tests.unit.agents.role_models import QUESTION, scripted_role

STEP = "Who designed Maple Bridge?"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("FINAL ANSWER: Ida Holm", "Ida Holm"),
        ("FINAL ANSWER: I don't know", ""),
        ("noise", ""),
    ],
)
async def test_the_reply_gives_the_steps_answer(
    articles: Evidence, reply: str, answer: str
) -> None:
    model, _ = scripted_role("solver", reply)

    assert await solve(QUESTION, STEP, 0, render(articles, 500), model) == answer


async def test_the_prompt_names_the_step_and_the_question(articles: Evidence) -> None:
    model, script = scripted_role("solver", "FINAL ANSWER: Ida Holm")

    await solve(QUESTION, STEP, 1, render(articles, 500), model)

    metadata = script.calls[0].messages[0].additional_kwargs["hoptrail"]
    assert (metadata["step"], metadata["question"]) == (1, QUESTION)
    assert STEP in script.calls[0].text
