import io

import pytest
from rich.console import Console

from hoptrail.cli.train import config_of, options_of, show_summary, tables_of, validation_line
from hoptrail.core.errors import SettingsError, UnknownNameError


def test_a_validation_is_one_line() -> None:
    row = {"step": 50, "epoch": 1, "loss": 1.23456, "hits@1": 0.4, "hit": 0.5, "set_f1": 0.3}
    line = validation_line({**row, "seconds": 61.2})
    assert line == "step 50, epoch 1: loss 1.235, Hits@1 0.400, Hit 0.500, F1 0.300, 61 s"


def test_a_summary_names_the_checkpoint_and_skipped_steps() -> None:
    stream = io.StringIO()
    summary = {
        "steps": 40,
        "planned_steps": 60,
        "best_step": 20,
        "metrics": {"hits@1": 0.4, "hit": 0.5, "set_f1": 0.3},
        "skipped_steps": 2,
        "left_out": 7,
        "trained_parameters": 1234567,
        "seconds": 90.0,
        "seconds_per_step": 1.5,
        "peak_memory_bytes": 2**31,
        "checkpoint": "runs/a/checkpoint",
    }
    show_summary(summary, Console(file=stream, width=80))
    words = " ".join(stream.getvalue().split())
    assert "steps 40 of 60" in words
    assert "skipped steps 2" in words
    assert "left out 7" in words
    assert "peak memory 2.00 GiB" in words
    assert "checkpoint runs/a/checkpoint" in words


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
