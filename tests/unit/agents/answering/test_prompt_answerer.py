from __future__ import annotations

import pytest

from hoptrail.agents.answering.prompt_answerer import answer
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelUnavailableError
from hoptrail.core.render import render
from hoptrail.core.settings import Settings
from hoptrail.core.types import Evidence
from hoptrail.models.chat import ChatModels, RoleModel, register_chat_model
from hoptrail.testing import ScriptedChatModel

QUESTION = "Who designed Maple Bridge?"


def role_model(model: ScriptedChatModel) -> RoleModel:
    register_chat_model("scripted-answerer", model)
    settings = Settings(max_retries=0)
    return ChatModels(settings, {"default": "scripted-answerer"}).for_role("answerer")


async def test_reply_becomes_a_draft_with_cited_chunks(articles: Evidence) -> None:
    reply = "HOP 1: Maple Bridge | designed by | Ida Holm | P1\nFINAL ANSWER: Ida Holm"
    model = ScriptedChatModel(by_role={"answerer": reply})
    rendered = render(articles, 4000)
    draft = await answer(QUESTION, rendered, "generic", role_model(model), Meter("answer"))
    assert draft.answers == ("Ida Holm",)
    assert draft.hops[0].chunk_id == rendered.labels["P1"]


async def test_prompt_holds_the_evidence_as_data_and_the_question(articles: Evidence) -> None:
    model = ScriptedChatModel(by_role={"answerer": "FINAL ANSWER: Ida Holm"})
    await answer(QUESTION, render(articles, 4000), "sparql", role_model(model), Meter("answer"))
    (call,) = model.calls
    assert (call.role, call.question) == ("answerer", QUESTION)
    assert "<evidence>" in call.text
    assert "designed by Ida Holm" in call.text


async def test_empty_reply_is_an_abstention(articles: Evidence) -> None:
    model = ScriptedChatModel(by_role={"answerer": ""})
    draft = await answer(
        QUESTION, render(articles, 4000), "plain", role_model(model), Meter("answer")
    )
    assert draft.abstained


async def test_model_that_is_down_is_no_abstention(articles: Evidence) -> None:
    model = ScriptedChatModel(by_role={"answerer": ConnectionError("refused")})
    with pytest.raises(ModelUnavailableError):
        await answer(QUESTION, render(articles, 4000), "plain", role_model(model), Meter("answer"))
