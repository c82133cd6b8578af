import pytest

from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.graphs.context import Context, resolve_context


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
