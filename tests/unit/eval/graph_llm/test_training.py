"""A whole training run: questions and graphs in, a checkpoint and a summary out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Evidence, JsonDict
from hoptrail.eval.graph_llm.sources import OneBase, OwnGraphs, Retrieving
from hoptrail.eval.graph_llm.training import (
    GraphTraining,
    QuestionFile,
    build_model,
    graph_examples,
    load_answerable,
    run_graph_training,
)
from hoptrail.eval.questions.question import Question
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.training.options import TrainingOptions
from hoptrail.testing.tiny_llama import write_tiny_base
from tests.ships import hashing_settings, index_ships
from tests.yards import write_yards, yard_triples

RETRIEVING = Retrieving("multistage", {"edges": 5})


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


class Counted:
    """A source that counts what it is asked, and may stop in the middle."""

    def __init__(self, source: OwnGraphs, most: int = 100) -> None:
        self.asked: list[str] = []
        self._source, self._most = source, most

    def identity(self) -> JsonDict:
        return self._source.identity()

    def find(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        for question, evidence in zip(questions, self._source.find(questions), strict=True):
            if len(self.asked) == self._most:
                raise KeyboardInterrupt
            self.asked.append(question.id)
            yield evidence


@pytest.fixture
def yards(tmp_path: Path) -> tuple[list[Question], OwnGraphs]:
    questions, graphs = write_yards(tmp_path, 3)
    source = OwnGraphs(graphs, questions, tmp_path / "bases", RETRIEVING, hashing_settings())
    return load_answerable(questions), source


def test_each_question_comes_with_what_its_own_graph_holds(
    tmp_path: Path, yards: tuple[list[Question], OwnGraphs]
) -> None:
    examples = graph_examples(*yards, tmp_path / "cache")
    assert [example.answers for example in examples] == [("Yard 0",), ("Yard 1",), ("Yard 2",)]
    assert set(examples[1].graph.triples()) == set(yard_triples(1))


def test_subgraphs_are_found_once(tmp_path: Path, yards: tuple[list[Question], OwnGraphs]) -> None:
    questions, source = yards
    first = graph_examples(questions, source, tmp_path / "cache")
    counted = Counted(source)
    assert graph_examples(questions, counted, tmp_path / "cache") == first
    assert counted.asked == []


def test_stopped_work_goes_on_where_it_stopped(
    tmp_path: Path, yards: tuple[list[Question], OwnGraphs]
) -> None:
    questions, source = yards
    with pytest.raises(KeyboardInterrupt):
        graph_examples(questions, Counted(source, most=2), tmp_path / "cache")
    cut = next((tmp_path / "cache").glob("examples-*.jsonl"))
    cut.write_text(cut.read_text(encoding="utf-8") + '{"id": "yar', encoding="utf-8")
    counted = Counted(source)
    assert len(graph_examples(questions, counted, tmp_path / "cache")) == 3
    assert counted.asked == ["yard-2"]


def test_another_way_to_retrieve_is_kept_apart(
    tmp_path: Path, yards: tuple[list[Question], OwnGraphs]
) -> None:
    questions, source = yards
    graph_examples(questions, source, tmp_path / "cache")
    file, graphs = tmp_path / "questions.jsonl", tmp_path / "graphs.jsonl"
    other = Retrieving("multistage", {"edges": 1})
    fewer = OwnGraphs(graphs, file, tmp_path / "bases", other, hashing_settings())
    examples = graph_examples(questions, fewer, tmp_path / "cache")
    assert [len(example.graph.edges) for example in examples] == [1, 1, 1]


def test_a_graph_without_an_edge_is_an_empty_subgraph(tmp_path: Path) -> None:
    questions, graphs = write_yards(tmp_path, 1)
    graphs.write_text(json.dumps({"id": "yard-0", "graph": []}), encoding="utf-8")
    source = OwnGraphs(graphs, questions, tmp_path / "bases", RETRIEVING, hashing_settings())
    example = graph_examples(load_answerable(questions), source, tmp_path / "cache")[0]
    assert (example.graph.nodes, example.graph.edges) == ((), ())


def test_a_question_without_a_graph_is_named(tmp_path: Path) -> None:
    questions, graphs = write_yards(tmp_path, 2)
    graphs.write_text(graphs.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    source = OwnGraphs(graphs, questions, tmp_path / "bases", RETRIEVING, hashing_settings())
    with pytest.raises(InputError, match="yard-1"):
        graph_examples(load_answerable(questions), source, tmp_path / "cache")


def test_one_knowledge_base_serves_all_questions(tmp_path: Path) -> None:
    settings = hashing_settings()
    index_ships(tmp_path / "kb", settings)
    questions = [Question("q", "Who founded the Alder Yard?", (("Edda Thorn",),), line=1)]
    source = OneBase(str(tmp_path / "kb"), Retrieving(), settings)
    example = graph_examples(questions, source, tmp_path / "cache")[0]
    assert {"Alder Yard", "Edda Thorn"} <= set(example.graph.nodes)


def test_questions_without_an_answer_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    lines = [
        {"id": "a", "question": "Who?", "answer": "Insufficient information."},
        {"id": "b", "question": "What are the topics?", "type": "global"},
        {"id": "c", "question": "Where?", "answer": "Voss"},
        {"id": "d", "question": "When?", "answer": "1871"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert [question.id for question in load_answerable(path)] == ["c", "d"]
    assert [question.id for question in load_answerable(path, 1)] == ["c"]


def test_of_two_at_once_one_finds_and_the_other_waits(
    tmp_path: Path, yards: tuple[list[Question], OwnGraphs]
) -> None:
    questions, source = yards
    counted = Counted(source)
    with ThreadPoolExecutor(2) as pool:
        first, second = (
            pool.submit(graph_examples, questions, counted, tmp_path / "cache") for _ in range(2)
        )
        assert first.result() == second.result()
    assert counted.asked == ["yard-0", "yard-1", "yard-2"]
