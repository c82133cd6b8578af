"""The choices of presets; the contract that is shipped for others holds of every built-in one."""

from __future__ import annotations

import pytest

from hoptrail.core.errors import UnknownNameError
from hoptrail.graphs.context import Context
from hoptrail.graphs.presets import PRESETS, QUESTION_TYPES, depends_on_type, resolve_preset
from hoptrail.testing.contracts import PresetContract

for name, preset in PRESETS.items():
    class_name = f"Test{name.title().replace('_', '')}"
    globals()[class_name] = type(class_name, (PresetContract,), {"preset": preset})


@pytest.mark.parametrize(("has_model", "name"), [(True, "auto"), (False, "offline")])
def test_auto_depends_on_a_model(has_model: bool, name: str) -> None:
    assert resolve_preset("auto", has_model=has_model).name == name


@pytest.mark.parametrize("on_graph", [True, False])
def test_every_course_of_auto_is_made_of_presets_that_do_the_work_themselves(
    on_graph: bool,
) -> None:
    auto = PRESETS["auto"]

    for question_type in QUESTION_TYPES:
        for name in auto.course(question_type, on_graph=on_graph):
            assert PRESETS[name].course(question_type, on_graph=on_graph) == (name,)


@pytest.mark.parametrize(("name", "depends"), [("reasoning", True), ("dagr", False)])
def test_the_type_matters_where_prompts_differ(name: str, depends: bool) -> None:
    assert depends_on_type(PRESETS[name], on_graph=False, has_reports=False) is depends


@pytest.mark.parametrize("has_reports", [True, False])
def test_on_a_graph_the_type_matters_to_auto_where_there_are_reports(has_reports: bool) -> None:
    auto = PRESETS["auto"]

    assert depends_on_type(auto, on_graph=True, has_reports=has_reports) is has_reports


def test_unknown_preset_suggests_a_known_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'reasoning'"):
        resolve_preset("reasonning", has_model=True)


def test_a_retriever_given_for_a_preset_is_told_to_be_one() -> None:
    with pytest.raises(UnknownNameError) as caught:
        resolve_preset("ket", has_model=False)
    assert "ket is a retriever: --set retriever=ket" in str(caught.value.hint)


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
