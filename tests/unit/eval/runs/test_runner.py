"""Choices of a run that exclude each other, and the command that repeats them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.eval.runs.runner import RunPlan
from hoptrail.graphs.context import Context

PLACES: dict[str, Any] = {
    "questions": Path("q.jsonl"),
    "knowledge_base": "kb",
    "out": Path("runs/one"),
}


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({}, "what is to be measured"),
        ({"preset": "offline", "retriever": "ket"}, "what is to be measured"),
        ({"retriever": "ket", "reader": "oracle"}, "only a preset asks a reader"),
        ({"peer": Path("p.jsonl"), "graphs": Path("g.jsonl")}, "over a corpus"),
    ],
)
def test_choices_that_exclude_each_other(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        RunPlan(**PLACES, **choices)


def test_the_command_repeats_the_choices() -> None:
    plan = RunPlan(
        **PLACES,
        preset="reasoning",
        reader="oracle",
        context=Context(k=5, seed=42),
        limit=7,
        concurrency=2,
    )
    assert plan.command == (
        "hoptrail eval --questions q.jsonl --kb kb --preset reasoning --reader oracle --limit 7 "
        "--concurrency 2 --out runs/one --set k=5 --set seed=42"
    )


def test_the_preset_leaves_unset_what_the_context_leaves_unset() -> None:
    plan = RunPlan(**PLACES, preset="reasoning", context=Context(k=5))
    assert plan.preset_context == Context(preset="reasoning", k=5)
    assert plan.preset_context.model_fields_set == {"preset", "k"}
