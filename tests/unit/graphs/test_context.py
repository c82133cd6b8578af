import pytest

from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.graphs.context import Context, resolve_context
from hoptrail.graphs.presets import PRESETS
from hoptrail.graphs.qa import compile_qa
from hoptrail.retrievers.registry import RETRIEVERS


def test_missing_context_means_the_defaults() -> None:
    assert resolve_context(None) == Context()


def test_unknown_field_is_named_with_the_closest_known_one() -> None:
    with pytest.raises(UnknownNameError, match=r"'preste'.*'preset'"):
        resolve_context({"preste": "vector"})


def test_value_out_of_range_names_its_field() -> None:
    with pytest.raises(SettingsError, match="context field theta"):
        resolve_context({"theta": 2})


def test_request_wins_over_defaults_only_where_it_says_something() -> None:
    defaults = Context(knowledge_base="films", budget=500)

    context = resolve_context(Context(budget=900), defaults)

    assert (context.knowledge_base, context.budget) == ("films", 900)


def test_an_unknown_field_is_named_where_langgraph_makes_the_context() -> None:
    with pytest.raises(UnknownNameError, match=r"'preste'.*'preset'"):
        compile_qa().invoke({"question": "Who?"}, context={"preste": "vector"})  # type: ignore[call-overload]


def test_the_schema_lists_the_names_that_can_be_chosen() -> None:
    fields = compile_qa().get_context_jsonschema()["properties"]  # type: ignore[index]

    assert set(fields["preset"]["enum"]) == {"auto", *PRESETS}
    assert fields["retriever"]["anyOf"] == [
        {"type": "string", "enum": sorted(RETRIEVERS)},
        {"type": "null"},
    ]
    assert fields["verify"]["enum"] == ["words", "model"]
