"""Questions with the subgraphs found for them, kept between runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.types import Evidence, JsonDict
from hoptrail.eval.graph_llm.examples import graph_examples, load_answerable
from hoptrail.eval.graph_llm.sources import OneBase, OwnGraphs, Retrieving
from hoptrail.eval.questions.question import Question
from tests.ships import hashing_settings, index_ships
from tests.yards import write_yards, yard_triples

RETRIEVING = Retrieving("multistage", {"edges": 5})


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
