from __future__ import annotations

from hoptrail.agents.planning.keyword_writer import KeywordLevels, write_keywords
from tests.unit.agents.role_models import QUESTION, scripted_role


async def test_both_levels_are_read_without_blanks_and_repetitions() -> None:
    reply = {"entities": ["Maple  Bridge", "", "Maple Bridge"], "themes": ["birth"]}
    model, _ = scripted_role("decomposer", reply)

    levels = await write_keywords(QUESTION, model)

    assert levels == KeywordLevels(("Maple Bridge",), ("birth",))


async def test_unreadable_replies_leave_it_to_the_retriever() -> None:
    model, _ = scripted_role("decomposer", "no", "no")

    assert await write_keywords(QUESTION, model) == KeywordLevels()
    assert model.meter.degraded


async def test_keywords_of_no_use_leave_it_to_the_retriever() -> None:
    model, _ = scripted_role("decomposer", {"entities": [" "], "themes": []})

    assert await write_keywords(QUESTION, model) == KeywordLevels()
    assert model.meter.degraded
