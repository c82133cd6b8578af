from __future__ import annotations

import math

from langchain_core.messages import AIMessage

from hoptrail.agents.answering.short_answerer import answer_short
from hoptrail.core.passages import render_briefly
from hoptrail.core.types import Chunk, Evidence, Hit
from tests.unit.agents.role_models import scripted_role

CHUNK = Chunk("c1", "d1", "Alder Yard", "The Alder Yard was founded by Edda Thorn.", 0, 41)
SHOWN = render_briefly(Evidence(chunks=(Hit(CHUNK),)), 500)


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
