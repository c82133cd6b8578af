import pytest

from hoptrail.cli.train import config_of, options_of, tables_of
from hoptrail.core.errors import SettingsError, UnknownNameError


def test_assignments_go_to_their_tables() -> None:
    tables = tables_of(["parameters.edges=30", "model.hidden=64", "training.clip=0.5"])
    assert tables == {
        "parameters": {"edges": 30},
        "model": {"hidden": 64},
        "training": {"clip": 0.5},
    }


def test_choices_of_a_question_reach_its_retriever() -> None:
    tables = tables_of(["k=5", "parameters.edges=30", "temperature=0.2"])
    assert tables["parameters"] == {"edges": 30, "k": 5}


def test_another_table_is_named() -> None:
    with pytest.raises(UnknownNameError, match="'parameters'"):
        tables_of(["parameter.edges=30"])


def test_a_table_needs_a_name_in_it() -> None:
    with pytest.raises(SettingsError, match="model"):
        tables_of(["model=gat"])


def test_an_option_goes_before_an_assignment() -> None:
    config = config_of({"encoder": "gat", "hidden": 64}, {"encoder": "constant", "triples": None})
    assert config is not None
    assert (config.encoder, config.hidden) == ("constant", 64)


def test_nothing_chosen_describes_no_model() -> None:
    assert config_of({}, {"encoder": None}) is None


def test_an_unknown_option_is_named_with_what_it_may_mean() -> None:
    with pytest.raises(UnknownNameError, match="'epochs'"):
        options_of({"epoch": 2}, {})
