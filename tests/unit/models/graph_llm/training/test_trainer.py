"""Training on a tiny model: it learns, it stops early, and it resumes to the last bit."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from hoptrail.core.errors import CheckpointError, ModelError, SettingsError
from hoptrail.models.graph_llm.checkpoint import load_checkpoint
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.models.graph_llm.training.options import TrainingOptions
from hoptrail.models.graph_llm.training.predictions import Prediction
from hoptrail.models.graph_llm.training.run import Curves, Row
from hoptrail.models.graph_llm.training.trainer import TrainingSummary, locked, train
from hoptrail.testing import HashingEmbedder
from tests.yards import exact_score, tiny_graph_llama, yard_examples

LEARNED, HELD_OUT = yard_examples(0, 6), yard_examples(6, 2)
OPTIONS = TrainingOptions(
    epochs=2,
    batch_size=2,
    accumulation=2,
    validate_every=2,
    save_every=1,
    max_new_tokens=2,
    align_epochs=1,
    align_batch_size=3,
    node_weight=0.5,
)


class OtherEmbedder(HashingEmbedder):
    name = "other"


class Stopped(BaseException):
    """Stands for a kill: nothing of the trainer's handles it."""


def run(
    folder: Path, options: TrainingOptions = OPTIONS, model: GraphLlama | None = None
) -> TrainingSummary:
    return train(model or tiny_graph_llama(), LEARNED, HELD_OUT, folder, options, score=exact_score)


def course(folder: Path) -> list[dict[str, str]]:
    return [{**row, "seconds": ""} for row in Curves(folder).rows()]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainingSummary]:
    """Return a finished run: its folder and what it told."""
    folder = tmp_path_factory.mktemp("trained")
    return folder, run(folder)


def test_the_loss_falls_on_what_is_learned(tmp_path: Path) -> None:
    options = TrainingOptions(
        align_epochs=0,
        epochs=12,
        batch_size=6,
        learning_rate=0.02,
        validate_every=12,
        max_new_tokens=2,
    )
    run(tmp_path, options, tiny_graph_llama(low_rank=4))
    losses = [float(row["language_loss"]) for row in Curves(tmp_path).rows()]
    assert losses[-1] < 0.9 * losses[0]


def test_only_the_trainable_part_changes(tmp_path: Path) -> None:
    model = tiny_graph_llama()
    frozen = {name: value.clone() for name, value in model.llm.state_dict().items()}
    before = {name: value.clone() for name, value in model.trained_state().items()}
    run(tmp_path, model=model)
    assert all(torch.equal(value, frozen[name]) for name, value in model.llm.state_dict().items())
    assert any(
        not torch.equal(value, before[name]) for name, value in model.trained_state().items()
    )


def test_a_run_killed_between_states_ends_where_an_unbroken_one_does(tmp_path: Path) -> None:
    whole, broken = tiny_graph_llama(), tiny_graph_llama()
    expected = run(tmp_path / "whole", model=whole)

    def die(predictions: Sequence[Prediction]) -> dict[str, float]:
        raise Stopped

    with pytest.raises(Stopped):
        train(tiny_graph_llama(), LEARNED, HELD_OUT, tmp_path / "broken", OPTIONS, score=die)
    found = run(tmp_path / "broken", model=broken)
    assert course(tmp_path / "broken") == course(tmp_path / "whole")
    assert (found.steps, found.best_step) == (expected.steps, expected.best_step)
    state = whole.trained_state()
    assert all(torch.equal(value, state[name]) for name, value in broken.trained_state().items())


def test_an_interrupt_saves_and_the_run_goes_on(tmp_path: Path) -> None:
    def interrupt(row: Row) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    options = TrainingOptions(
        align_epochs=0, epochs=2, batch_size=3, validate_every=2, save_every=100, max_new_tokens=2
    )
    run(tmp_path / "whole", options)
    with pytest.raises(KeyboardInterrupt):
        train(
            tiny_graph_llama(),
            LEARNED,
            HELD_OUT,
            tmp_path / "broken",
            options,
            score=exact_score,
            report=interrupt,
        )
    assert len(course(tmp_path / "broken")) == 2
    run(tmp_path / "broken", options)
    assert course(tmp_path / "broken") == course(tmp_path / "whole")


def test_how_often_a_run_is_validated_does_not_change_what_it_learns(tmp_path: Path) -> None:
    seldom, often = tiny_graph_llama(), tiny_graph_llama()
    for name, model, every in (("seldom", seldom, 4), ("often", often, 1)):
        options = TrainingOptions(
            align_epochs=0, epochs=2, batch_size=3, validate_every=every, max_new_tokens=2
        )
        run(tmp_path / name, options, model)
    state = seldom.trained_state()
    assert all(torch.equal(value, state[name]) for name, value in often.trained_state().items())


def test_a_finished_run_is_not_trained_again(trained: tuple[Path, TrainingSummary]) -> None:
    folder, first = trained
    written = (folder / "curves.csv").read_text(encoding="utf-8")
    assert run(folder).seconds == first.seconds
    assert (folder / "curves.csv").read_text(encoding="utf-8") == written


@pytest.mark.parametrize("change", ["options", "examples", "weights", "base", "embedder"])
def test_another_run_is_refused(trained: tuple[Path, TrainingSummary], change: str) -> None:
    options = TrainingOptions(epochs=3) if change == "options" else OPTIONS
    examples = LEARNED[1:] if change == "examples" else LEARNED
    model = tiny_graph_llama(seed=1 if change == "weights" else 0)
    if change == "base":
        model.base = replace(model.base, fingerprint="another")
    if change == "embedder":
        model.embedder = OtherEmbedder()
    with pytest.raises(CheckpointError, match=change):
        train(model, examples, HELD_OUT, trained[0], options, score=exact_score)


def test_training_stops_when_validations_no_longer_gain(tmp_path: Path) -> None:
    options = TrainingOptions(
        align_epochs=0, epochs=10, batch_size=3, validate_every=2, patience=2, max_new_tokens=2
    )
    summary = run(tmp_path, options)
    assert (summary.steps, summary.planned_steps, summary.best_step) == (6, 20, 2)


def test_the_checkpoint_is_that_of_the_best_validation(tmp_path: Path) -> None:
    model, values = tiny_graph_llama(), iter([0.1, 0.4, 0.2])
    kept = []

    def score(predictions: Sequence[Prediction]) -> dict[str, float]:
        kept.append({name: value.clone() for name, value in model.trained_state().items()})
        return dict.fromkeys(("hits@1", "hit", "set_f1"), next(values))

    options = TrainingOptions(
        align_epochs=0, epochs=3, batch_size=6, validate_every=1, max_new_tokens=2
    )
    summary = train(model, LEARNED, HELD_OUT, tmp_path, options, score=score)
    assert (summary.best_step, summary.metrics["hits@1"]) == (2, 0.4)
    best = load_checkpoint(summary.checkpoint, base=model.base, embedder=HashingEmbedder())
    assert all(torch.equal(value, kept[1][name]) for name, value in best.trained_state().items())


def test_steps_without_a_finite_loss_are_skipped_until_there_are_too_many(tmp_path: Path) -> None:
    model = tiny_graph_llama()
    with torch.no_grad():
        next(weight for weight in model.parameters() if weight.requires_grad).fill_(torch.nan)
    options = TrainingOptions(epochs=9, batch_size=6, max_new_tokens=2)
    with pytest.raises(ModelError, match="5 steps in a row"):
        run(tmp_path, options, model)


@pytest.mark.parametrize("missing", ["encoder", "examples", "validation"])
def test_nothing_to_train_is_an_error(tmp_path: Path, missing: str) -> None:
    model = tiny_graph_llama(encoder="none") if missing == "encoder" else tiny_graph_llama()
    examples = [] if missing == "examples" else LEARNED
    validation = [] if missing == "validation" else HELD_OUT
    with pytest.raises(SettingsError):
        train(model, examples, validation, tmp_path, OPTIONS, score=exact_score)


def test_with_all_text_dropped_the_text_form_makes_no_difference(tmp_path: Path) -> None:
    options = replace(OPTIONS, text_dropout=1.0)
    losses = []
    for name, triples in (("with", 20), ("without", 0)):
        run(tmp_path / name, options, tiny_graph_llama(triples=triples))
        losses.append([row["language_loss"] for row in Curves(tmp_path / name).rows()])
    assert losses[0] == losses[1]


def test_a_model_without_graph_tokens_always_reads_the_text(tmp_path: Path) -> None:
    for text_dropout in (0.0, 1.0):
        options = TrainingOptions(
            align_epochs=0, epochs=1, batch_size=2, max_new_tokens=2, text_dropout=text_dropout
        )
        model = tiny_graph_llama(encoder="none", low_rank=4)
        run(tmp_path / f"{text_dropout}", options, model)
    assert course(tmp_path / "0.0") == course(tmp_path / "1.0")


def test_a_second_run_is_refused(tmp_path: Path) -> None:
    with (
        locked(tmp_path),
        pytest.raises(CheckpointError, match="another process trains in"),
        locked(tmp_path),
    ):
        pass


def test_the_folder_is_free_afterwards(tmp_path: Path) -> None:
    with locked(tmp_path):
        pass
    with locked(tmp_path):
        pass
