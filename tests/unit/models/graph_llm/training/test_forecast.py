"""The cost of a run is told before it begins, and what does not fit is refused."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from hoptrail.core.errors import SettingsError
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.models.graph_llm.training import forecast
from hoptrail.models.graph_llm.training.forecast import Forecast, step_memory
from hoptrail.models.graph_llm.training.options import TrainingOptions
from hoptrail.models.graph_llm.training.run import StateFiles
from hoptrail.models.graph_llm.training.trainer import train
from tests.yards import exact_score, tiny_graph_llama, yard_examples

LEARNED, HELD_OUT = yard_examples(0, 6), yard_examples(6, 2)
OPTIONS = TrainingOptions(
    epochs=2, batch_size=2, validate_every=3, max_new_tokens=2, align_epochs=1, align_batch_size=3
)


def run(folder: Path, options: TrainingOptions = OPTIONS) -> list[Forecast]:
    told: list[Forecast] = []
    train(
        tiny_graph_llama(),
        LEARNED,
        HELD_OUT,
        folder,
        options,
        score=exact_score,
        announce=told.append,
    )
    return told


def test_steps_seconds_and_memory_are_told_before_the_first_step(tmp_path: Path) -> None:
    (cost,) = run(tmp_path)
    assert (cost.align_steps, cost.steps) == (2, 6)
    assert cost.seconds >= 6 * cost.step_seconds > 0
    assert cost.memory_bytes > 0


def test_a_run_that_is_over_has_no_cost(tmp_path: Path) -> None:
    run(tmp_path)
    assert run(tmp_path) == []


def test_a_run_that_no_longer_gained_has_no_cost(tmp_path: Path) -> None:
    options = replace(OPTIONS, validate_every=1, patience=1)
    (cost,) = run(tmp_path, options)
    state = StateFiles(tmp_path / "states").load()
    assert state.step < cost.align_steps + cost.steps
    assert run(tmp_path, options) == []


def test_what_is_done_is_not_told_again(tmp_path: Path) -> None:
    told: list[Forecast] = []

    def stop_the_first_time(row: object) -> None:
        if len(told) == 1:
            raise KeyboardInterrupt

    for _ in range(2):
        with contextlib.suppress(KeyboardInterrupt):
            train(
                tiny_graph_llama(),
                LEARNED,
                HELD_OUT,
                tmp_path,
                OPTIONS,
                score=exact_score,
                report=stop_the_first_time,
                announce=told.append,
            )
    assert [(cost.align_steps, cost.steps) for cost in told] == [(2, 6), (0, 3)]


def test_a_step_larger_than_the_free_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecast, "free_memory", lambda device: 1000)
    with pytest.raises(SettingsError, match="a step of 2 questions of up to") as caught:
        run(tmp_path)
    assert "--batch 1" in caught.value.hint


def test_a_device_without_memory_for_a_step_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, inputs: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    monkeypatch.setattr(GraphLlama, "forward", fail)
    with pytest.raises(SettingsError, match="a step of 2 questions does not fit into the memory"):
        run(tmp_path)


def test_gradient_checkpoints_and_texts_read_beforehand_need_less() -> None:
    usual, late = tiny_graph_llama(), tiny_graph_llama(place="end")
    items = [(item.question, item.graph, item.answers) for item in LEARNED[:2]]
    checkpointing = replace(OPTIONS, gradient_checkpoints=True)
    whole = step_memory(usual, usual.prepare_all(items), OPTIONS)
    assert step_memory(usual, usual.prepare_all(items), checkpointing) < whole
    assert step_memory(late, late.prepare_all(items), OPTIONS) < whole


def test_a_run_with_gradient_checkpoints_learns_the_same(tmp_path: Path) -> None:
    weights = []
    for chosen in (False, True):
        model = tiny_graph_llama()
        options = replace(OPTIONS, gradient_checkpoints=chosen)
        train(model, LEARNED, HELD_OUT, tmp_path / str(chosen), options, score=exact_score)
        weights.append(model.trained_state())
    torch.testing.assert_close(*weights, atol=1e-5, rtol=1e-4)
