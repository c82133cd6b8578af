from __future__ import annotations

from hoptrail.agents.dotrag.constraint_writer import Rules, write_constraints
from tests.unit.agents.role_models import QUESTION, scripted_role

SCHEMA = {"entity_types": {"Person": "", "Bridge": ""}}


async def test_rules_keep_only_types_of_the_schema() -> None:
    reply = {"terminal": " a birthplace ", "entity_types": ["person", "planet", "Person"]}
    model, _ = scripted_role("decomposer", reply)

    rules = await write_constraints(QUESTION, "Maple Bridge", SCHEMA, model)

    assert rules == Rules(terminal="a birthplace", entity_types=("Person",))
    assert rules.text == "Terminal evidence: a birthplace"


async def test_unreadable_rules_keep_every_type() -> None:
    model, _ = scripted_role("decomposer", "no", "no")

    rules = await write_constraints(QUESTION, "Maple Bridge", SCHEMA, model)

    assert rules == Rules()
    assert model.meter.degraded


async def test_without_a_model_there_are_no_rules() -> None:
    assert await write_constraints(QUESTION, "Maple Bridge", SCHEMA, None) == Rules()
