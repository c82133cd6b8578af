from __future__ import annotations

import math

import pytest
from langchain_core.messages import AIMessage

from hoptrail.agents.answering.prompt_answerer import answer, answer_short
from hoptrail.core.errors import ModelReplyError, ModelUnavailableError
from hoptrail.core.passages import render_briefly
from hoptrail.core.render import render
from hoptrail.core.types import Chunk, Evidence, Hit
from tests.unit.agents.role_models import scripted_role

QUESTION = "Who designed Maple Bridge?"

CHUNK = Chunk("c1", "d1", "Alder Yard", "The Alder Yard was founded by Edda Thorn.", 0, 41)
SHOWN = render_briefly(Evidence(chunks=(Hit(CHUNK),)), 500)


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


async def test_the_prompt_is_the_passages_and_the_question_last() -> None:
    model, script = scripted_role("answerer", "Edda Thorn")

    draft = await answer_short("Who founded the Alder Yard?", SHOWN, model)

    assert draft.answers == ("Edda Thorn",)
    (call,) = script.calls
    assert f"[1] Alder Yard\n{CHUNK.text}\n\nQuestion: Who founded" in call.text
    assert call.text.endswith("Answer:")


async def test_the_draft_tells_how_sure_the_model_was() -> None:
    told = {"logprobs": {"content": [{"logprob": -0.1}, {"logprob": -0.3}]}}
    model, _ = scripted_role("answerer", AIMessage("Edda Thorn", response_metadata=told))

    draft = await answer_short("Who founded the Alder Yard?", SHOWN, model)

    assert draft.score == round(math.exp(-0.2), 5)


async def test_a_model_that_does_not_know_abstains() -> None:
    model, _ = scripted_role("answerer", "I don't know.")

    draft = await answer_short("Who sank it?", SHOWN, model)

    assert (draft.abstained, draft.reason) == (True, "no_evidence")
