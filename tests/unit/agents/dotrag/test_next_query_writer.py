from __future__ import annotations

from hoptrail.agents.dotrag.next_query_writer import write_query
from tests.unit.agents.role_models import QUESTION, scripted_role


async def test_the_model_writes_a_new_query() -> None:
    model, _ = scripted_role("decomposer", {"query": "birthplace of Ida Holm"})

    query = await write_query(QUESTION, [QUESTION], model)

    assert query == "birthplace of Ida Holm"


async def test_a_repeated_query_is_replaced_by_the_questions_words() -> None:
    model, _ = scripted_role("decomposer", {"query": "where was the designer of maple bridge born"})

    query = await write_query(QUESTION, [QUESTION], model)

    assert query == "designer maple bridge born"
    assert model.meter.degraded


async def test_nothing_new_is_an_empty_query() -> None:
    assert await write_query("Maple Bridge?", ["maple bridge"], None) == ""
