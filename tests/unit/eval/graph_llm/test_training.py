"""A whole training run: questions and graphs in, a checkpoint and a summary out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.eval.graph_llm.training import (
    GraphTraining,
    QuestionFile,
    build_model,
    run_graph_training,
)
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.training.options import TrainingOptions
from hoptrail.testing.tiny_llama import write_tiny_base
from tests.ships import hashing_settings
from tests.yards import write_yards


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("HOPTRAIL_EMBEDDER", "hashing")
    return hashing_settings()


@pytest.fixture
def training(tmp_path: Path, settings: Settings) -> GraphTraining:
    questions, graphs = write_yards(tmp_path, 4)
    return GraphTraining(
        training=QuestionFile(questions, graphs),
        out=tmp_path / "run",
        cache=tmp_path / "cache",
        config=GraphLlamaConfig(encoder="constant", graph_tokens=2),
        options=TrainingOptions(epochs=1, batch_size=4, max_new_tokens=2),
        base=str(write_tiny_base(tmp_path / "base")),
    )


def test_a_share_of_the_questions_is_held_out(training: GraphTraining) -> None:
    summary = run_graph_training(training)
    assert (summary["examples"], summary["validation"]) == (3, 1)


def test_the_summary_lies_beside_the_checkpoint(training: GraphTraining) -> None:
    summary = run_graph_training(training)
    assert json.loads((training.out / "summary.json").read_text(encoding="utf-8")) == summary
    assert Path(summary["checkpoint"]).parent == training.out


def test_questions_of_another_file_validate(tmp_path: Path, training: GraphTraining) -> None:
    (tmp_path / "other").mkdir()
    questions, graphs = write_yards(tmp_path / "other", 5)
    validation = QuestionFile(questions, graphs, limit=2)
    summary = run_graph_training(replace(training, validation=validation))
    assert (summary["examples"], summary["validation"]) == (4, 2)


def test_questions_whose_graph_holds_no_answer_are_left_out(training: GraphTraining) -> None:
    path = training.training.questions
    path.write_text(
        path.read_text(encoding="utf-8").replace('"Yard 1"', '"Rome"'), encoding="utf-8"
    )
    summary = run_graph_training(training)
    assert (summary["examples"], summary["left_out"]) == (2, 1)


def test_a_checkpoint_is_where_another_run_may_start(
    training: GraphTraining, settings: Settings
) -> None:
    first = run_graph_training(training)
    other = replace(training, init=Path(first["checkpoint"]), config=GraphLlamaConfig())
    started, untrained = build_model(other, settings), build_model(training, settings)
    assert started.config == training.config
    assert not all(
        torch.equal(value, untrained.trained_state()[name])
        for name, value in started.trained_state().items()
    )


def test_a_single_question_cannot_be_split(training: GraphTraining) -> None:
    single = replace(training.training, limit=1)
    with pytest.raises(InputError, match="cannot be split"):
        run_graph_training(replace(training, training=single))


def test_subgraphs_have_one_source(training: GraphTraining, settings: Settings) -> None:
    both = replace(training.training, knowledge_base="kb")
    neither = replace(training.training, graphs=None)
    for file in (both, neither):
        with pytest.raises(SettingsError, match="either"):
            file.source(training.cache, settings)
