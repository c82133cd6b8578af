from __future__ import annotations

import pytest

from hoptrail.agents.answering.prompt_answerer import answer
from hoptrail.core.errors import ModelReplyError, ModelUnavailableError
from hoptrail.core.render import render
from hoptrail.core.types import Evidence
from tests.unit.agents.role_models import scripted_role

QUESTION = "Who designed Maple Bridge?"


async def test_reply_becomes_a_draft_with_cited_chunks(articles: Evidence) -> None:
    reply = "HOP 1: Maple Bridge | designed by | Ida Holm | P1\nFINAL ANSWER: Ida Holm"
    model, script = scripted_role("answerer", reply)
    rendered = render(articles, 4000)
    draft = await answer(QUESTION, rendered, "generic", model)
    assert draft.answers == ("Ida Holm",)
    assert draft.hops[0].chunk_id == rendered.labels["P1"]


async def test_prompt_holds_the_evidence_as_data_and_the_question(articles: Evidence) -> None:
    model, script = scripted_role("answerer", "FINAL ANSWER: Ida Holm")
    await answer(QUESTION, render(articles, 4000), "sparql", model)
    (call,) = script.calls
    assert (call.role, call.question) == ("answerer", QUESTION)
    assert "<evidence>" in call.text
    assert "designed by Ida Holm" in call.text


@pytest.mark.parametrize("reply", ["", "Bananas are purple."])
async def test_reply_without_an_answer_is_no_abstention(articles: Evidence, reply: str) -> None:
    model, script = scripted_role("answerer", reply)
    with pytest.raises(ModelReplyError):
        await answer(QUESTION, render(articles, 4000), "plain", model)


async def test_model_that_is_down_is_no_abstention(articles: Evidence) -> None:
    model, script = scripted_role("answerer", ConnectionError("refused"))
    with pytest.raises(ModelUnavailableError):
        await answer(QUESTION, render(articles, 4000), "plain", model)
