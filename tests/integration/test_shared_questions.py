"""Every question file of the real data sets is read as it is, and its gold is found."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.types import Document
from hoptrail.eval.questions.graphs_file import read_graphs
from hoptrail.eval.questions.question import resolve_gold
from hoptrail.eval.questions.reader import load_questions
from hoptrail.indexing.loading.documents import load_documents

pytestmark = pytest.mark.data

QUESTIONS = {
    "musique/train100": 100,
    "musique/dev": 145,
    "hotpotqa/train100": 100,
    "hotpotqa/dev98": 98,
    "2wiki/dev": 63,
    "metaqa/qa_1hop_dev500": 500,
    "metaqa/qa_2hop_dev500": 500,
    "metaqa/qa_3hop_dev500": 500,
    "webqsp/questions_train800": 800,
    "webqsp/questions_validation": 246,
    "cwq/questions": 300,
    "multihop_rag/questions": 250,
    "lihua_world/questions": 185,
    "graphrag_bench/medical_questions": 120,
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_file_loads(data_dir: Path, name: str) -> None:
    assert len(load_questions(data_dir / f"{name}.jsonl")) == QUESTIONS[name]


def test_questions_without_gold_are_an_error(data_dir: Path) -> None:
    with pytest.raises(InputError, match=r"questions\.jsonl:1: the answer is missing"):
        load_questions(data_dir / "ultradomain_mix" / "questions.jsonl")


@pytest.mark.parametrize(
    ("questions", "corpus", "lacking"),
    [
        ("musique/train100", "musique/train100_corpus", 0),
        ("musique/dev", "musique/dev_corpus", 0),
        ("hotpotqa/train100", "hotpotqa/corpus", 0),
        ("hotpotqa/dev98", "hotpotqa/corpus", 0),
        ("2wiki/dev", "2wiki/dev_corpus", 0),
        ("multihop_rag/questions", "multihop_rag/evidence_docs", 0),
        ("lihua_world/questions", "lihua_world/docs", 1),  # one names words as its documents
    ],
)
def test_gold_is_in_the_corpus_that_belongs_to_it(
    data_dir: Path, questions: str, corpus: str, lacking: int
) -> None:
    path = data_dir / f"{questions}.jsonl"
    loaded = load_documents([data_dir / f"{corpus}.jsonl"])
    documents = [item for item in loaded if isinstance(item, Document)]
    asked = load_questions(path)
    gold = resolve_gold(asked, documents, path, allow_missing=True)
    assert sum(bool(gold[question.id].missing) for question in asked) == lacking
    answerable = [question for question in asked if not question.is_unanswerable]
    assert sum(not gold[question.id].documents for question in answerable) == lacking


@pytest.mark.parametrize("name", ["musique/train100", "musique/dev"])
def test_every_step_names_its_passage(data_dir: Path, name: str) -> None:
    for question in load_questions(data_dir / f"{name}.jsonl"):
        stated = {passage for step in question.steps for passage in step.passages}
        assert stated == set(question.support.passages)


@pytest.mark.parametrize("name", ["hotpotqa/train100", "hotpotqa/dev98", "2wiki/dev"])
def test_every_title_of_the_support_has_a_sentence(data_dir: Path, name: str) -> None:
    for question in load_questions(data_dir / f"{name}.jsonl"):
        assert {title for title, _ in question.sentences} == set(question.support.titles)


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_relation_paths_of_metaqa_lead_to_the_gold_answers(data_dir: Path, hops: int) -> None:
    ends: dict[tuple[str, str], set[str]] = {}
    for line in (data_dir / "metaqa" / "kb.txt").read_text(encoding="utf-8").splitlines():
        head, relation, tail = line.split("|")
        ends.setdefault((head, relation), set()).add(tail)
        ends.setdefault((tail, relation), set()).add(head)
    questions = load_questions(data_dir / "metaqa" / f"qa_{hops}hop_dev500.jsonl")
    for question in questions:
        reached = set(question.topic_entities)
        for predicate in question.relation_paths[0]:
            reached = {end for node in reached for end in ends.get((node, predicate), ())}
        assert reached >= set(question.accepted)
        assert len(question.relation_paths[0]) == question.hops


def test_every_question_of_webqsp_has_its_graph(data_dir: Path) -> None:
    questions = load_questions(data_dir / "webqsp" / "questions_validation.jsonl")
    graphs = read_graphs(data_dir / "webqsp" / "graphs_validation.jsonl.gz")
    for question, graph in zip(islice(questions, 20), graphs, strict=False):
        assert graph.keys == (question.graph, question.id)
        assert graph.triples
