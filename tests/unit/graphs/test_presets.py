import pytest

from hoptrail.core.errors import UnknownNameError
from hoptrail.graphs.context import Context
from hoptrail.graphs.presets import resolve_preset


@pytest.mark.parametrize(("has_model", "name"), [(True, "reasoning"), (False, "offline")])
def test_auto_depends_on_a_model(has_model: bool, name: str) -> None:
    assert resolve_preset("auto", has_model=has_model).name == name


def test_unknown_preset_suggests_a_known_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'reasoning'"):
        resolve_preset("reasonning", has_model=True)


def test_retry_of_reasoning_uses_the_other_prompt() -> None:
    alternatives = resolve_preset("reasoning", has_model=True).alternatives

    assert (alternatives["sparql"], alternatives["generic"]) == ("generic", "sparql")


def test_reasoning_sends_chains_to_sparql_and_the_rest_to_free_steps() -> None:
    strategies = resolve_preset("reasoning", has_model=True).strategies

    assert strategies["bridge"] == "sparql"
    assert strategies["comparison"] == strategies["inference"] == "generic"


@pytest.mark.parametrize(("given", "budget"), [({}, 100_000), ({"budget": 500}, 500)])
def test_a_request_wins_over_a_presets_choices(given: dict[str, int], budget: int) -> None:
    preset = resolve_preset("full_context", has_model=True)

    assert preset.complete(Context.model_validate(given)).budget == budget
