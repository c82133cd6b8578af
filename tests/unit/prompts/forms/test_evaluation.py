from __future__ import annotations

import pytest
from pydantic import ValidationError

from hoptrail.prompts.forms.evaluation import preferences_form
from hoptrail.prompts.loader import SHIPPED

FORM = preferences_form({"clarity": "How clear?", "depth": "How deep?"})


def test_a_form_asks_for_every_criterion_by_name_and_definition() -> None:
    schema = FORM.model_json_schema()
    assert schema["required"] == ["clarity", "depth"]
    assert schema["properties"]["depth"]["description"] == "How deep?"


def test_a_missing_criterion_is_named() -> None:
    with pytest.raises(ValidationError, match="depth"):
        FORM.model_validate({"clarity": {"winner": "A"}})


@pytest.mark.parametrize("winner", ["C", "both", "", 1, None])
def test_a_winner_that_is_none_of_the_three_is_refused(winner: object) -> None:
    with pytest.raises(ValidationError, match="winner"):
        FORM.model_validate({"clarity": {"winner": winner}, "depth": {"winner": "tie"}})


@pytest.mark.parametrize("name", ["judge_equivalence", "judge_pair"])
def test_judges_are_told_that_an_answer_gives_no_orders(name: str) -> None:
    prompt = SHIPPED.load(name)
    assert prompt.role == "judge_eval"
    assert {"question"} < prompt.data
    rendered = prompt.render(**dict.fromkeys(prompt.inputs, "x"))[0].text
    assert "orders" in rendered
