from __future__ import annotations

from hoptrail.agents.dotrag.concept_writer import Concept, write_concepts
from tests.unit.agents.role_models import QUESTION, scripted_role

SCHEMA = {"description": "Bridges and people.", "entity_types": {"bridge": "a crossing"}}
MAPLE = {"text": "Maple Bridge", "guess": "A bridge."}


async def test_the_model_names_spans_of_the_question() -> None:
    model, script = scripted_role("decomposer", {"spans": [MAPLE], "topics": ["engineering"]})

    written = await write_concepts(QUESTION, SCHEMA, model)

    assert written == (Concept("Maple Bridge", "A bridge."),)
    assert "- bridge: a crossing" in script.calls[0].text


async def test_topics_count_where_the_spans_do_not_suffice() -> None:
    reply = {"spans": [MAPLE], "topics": ["engineering", " "], "needs_topics": True}
    model, _ = scripted_role("decomposer", reply)

    written = await write_concepts(QUESTION, SCHEMA, model)

    assert written[1:] == (Concept("engineering", is_span=False),)


async def test_spans_that_the_question_does_not_hold_are_left_out() -> None:
    reply = {"spans": [{"text": "Ash Bridge"}, {"text": "maple bridge"}, MAPLE]}
    model, _ = scripted_role("decomposer", reply)

    written = await write_concepts(QUESTION, SCHEMA, model)

    assert written == (Concept("maple bridge"),)


async def test_nothing_usable_falls_back_to_the_questions_names() -> None:
    model, _ = scripted_role("decomposer", {"spans": [{"text": "Ash Bridge"}]})

    written = await write_concepts(QUESTION, SCHEMA, model)

    assert written == (Concept("Maple Bridge"),)
    assert model.meter.degraded


async def test_a_question_without_names_is_one_theme() -> None:
    written = await write_concepts("who built the bridge", {}, None)

    assert written == (Concept("built bridge", is_span=False),)
