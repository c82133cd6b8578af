"""Question files: the format with its synonyms, and errors that name file and line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.json_files import Fields
from hoptrail.eval.questions.question import GoldStep, Question, SupportReference
from hoptrail.eval.questions.reader import gold_triples, load_questions, metaqa_path

MINIMAL = {"id": "q1", "question": "Who?", "answer": "Ada"}


def write(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def load_one(tmp_path: Path, **fields: Any) -> Question:
    return load_questions(write(tmp_path, {**MINIMAL, **fields}))[0]


def test_a_minimal_question(tmp_path: Path) -> None:
    assert load_one(tmp_path) == Question("q1", "Who?", (("Ada",),), line=1)


def test_aliases_are_forms_of_one_answer(tmp_path: Path) -> None:
    question = load_one(tmp_path, answer_aliases=["Ada Lovelace", "Ada"])
    assert question.answers == (("Ada", "Ada Lovelace"),)


@pytest.mark.parametrize("name", ["answers", "webquestions_answers"])
def test_answers_are_a_set(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, {"id": 7, "question": "Which?", name: ["A", "B", 1999, "A"]})
    (question,) = load_questions(path)
    assert question.id == "7"
    assert question.answers == (("A",), ("B",), ("1999",))


def test_answers_that_are_null_leave_the_other_field(tmp_path: Path) -> None:
    assert load_one(tmp_path, answer=None, answers=["A"]).answers == (("A",),)


@pytest.mark.parametrize("name", ["type", "question_type", "compositionality_type"])
def test_the_type_has_three_names(tmp_path: Path, name: str) -> None:
    assert load_one(tmp_path, **{name: "bridge"}).type == "bridge"


@pytest.mark.parametrize("name", ["supporting_ids", "evidence_ids"])
def test_support_by_id_has_two_names(tmp_path: Path, name: str) -> None:
    assert load_one(tmp_path, **{name: ["a", 2]}).support == SupportReference(ids=("a", "2"))


def test_support_by_index_names_passages(tmp_path: Path) -> None:
    paragraphs = [
        {"idx": 4, "title": "T", "text": "four"},
        {"idx": 2, "title": "T", "text": "two"},
    ]
    question = load_one(tmp_path, supporting_idx=[2], paragraphs=paragraphs)
    assert question.support.passages == (("T", "two"),)


def test_support_by_index_counts_paragraphs_that_carry_no_index(tmp_path: Path) -> None:
    paragraphs = [{"title": "A", "text": "a"}, {"title": "B", "text": "b"}]
    question = load_one(tmp_path, supporting_idx=[1], paragraphs=paragraphs)
    assert question.support.passages == (("B", "b"),)


def test_support_by_index_without_paragraphs_leaves_the_titles(tmp_path: Path) -> None:
    question = load_one(tmp_path, supporting_idx=[1], supporting_titles=["A"])
    assert question.support == SupportReference(titles=("A",))


def test_the_decomposition_and_the_topic(tmp_path: Path) -> None:
    steps = [{"question": "who?", "answer": "Ada"}, {"question": "where was #1 born?"}]
    question = load_one(tmp_path, decomposition=steps, topic_entity="Analytical Engine", hops=2)
    assert question.steps == (GoldStep("who?", "Ada"), GoldStep("where was #1 born?", ""))
    assert (question.topic_entities, question.hops) == (("Analytical Engine",), 2)


def test_a_step_knows_the_passage_that_states_its_answer(tmp_path: Path) -> None:
    steps = [{"question": "who?", "answer": "Ada", "paragraph_support_idx": 7}]
    paragraphs = [{"idx": 3, "title": "T", "text": "x"}, {"idx": 7, "title": "A", "text": "Ada."}]
    question = load_one(tmp_path, decomposition=steps, paragraphs=paragraphs)
    assert question.steps == (GoldStep("who?", "Ada", (("A", "Ada."),)),)


def test_supporting_facts_are_sentences_of_the_paragraphs(tmp_path: Path) -> None:
    paragraphs = [
        {"title": "A", "text": "One. Two.", "sentences": ["One.", " Two."]},
        {"title": "B", "text": "Three.", "sentences": ["Three."]},
    ]
    facts = [["A", 1], ["B", 0], ["A", 9], ["C", 0]]
    question = load_one(tmp_path, supporting_facts=facts, paragraphs=paragraphs)
    assert question.sentences == (("A", "Two."), ("B", "Three."))


def test_evidence_gives_its_facts_as_sentences(tmp_path: Path) -> None:
    evidence = [{"title": "A", "fact": "One."}, {"title": "B"}]
    assert load_one(tmp_path, evidence=evidence).sentences == (("A", "One."),)


def test_relation_paths_and_the_key_of_the_graph(tmp_path: Path) -> None:
    question = load_one(tmp_path, ground_relation_paths=[["r", "s"], [], ["r", "s"]], index=12)
    assert (question.relation_paths, question.graph) == ((("r", "s"),), "12")


def test_the_question_type_of_metaqa_is_a_relation_path(tmp_path: Path) -> None:
    question = load_one(tmp_path, qtype="writer_to_movie_to_year")
    assert question.relation_paths == (("written_by", "release_year"),)


def test_bytes_that_editors_and_tools_leave_are_no_content(tmp_path: Path) -> None:
    lines = "\n\r\n".join(json.dumps({**MINIMAL, "id": name}) for name in "ab")
    path = tmp_path / "questions.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + lines.encode() + b"\r\n \n")
    assert [(question.id, question.line) for question in load_questions(path)] == [
        ("a", 1),
        ("b", 3),
    ]


def test_a_gzip_file_is_read_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(gzip.compress(json.dumps(MINIMAL).encode()))
    assert load_questions(path)[0].id == "q1"


def test_a_cut_gzip_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(MINIMAL).encode())[:-9])
    with pytest.raises(InputError, match=r"questions\.jsonl\.gz: damaged gzip file"):
        load_questions(path)


def test_a_line_of_a_megabyte_is_read(tmp_path: Path) -> None:
    assert len(load_one(tmp_path, question="a" * 2**20).text) == 2**20


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "Null"},
        {"question_type": "null_query"},
        {"answer": "Insufficient information."},
        {"answer": "N/A"},
    ],
)
def test_unanswerable(tmp_path: Path, fields: dict[str, str]) -> None:
    assert load_one(tmp_path, **fields).is_unanswerable


def test_the_symbol_of_sodium_is_an_answer(tmp_path: Path) -> None:
    assert not load_one(tmp_path, answer="Na").is_unanswerable


def test_yes_and_no_are_recognised(tmp_path: Path) -> None:
    assert load_one(tmp_path, answer="Yes").is_yes_no
    assert not load_one(tmp_path, answer="Yes Minister").is_yes_no


def test_the_limit_takes_the_first_questions_and_reads_no_further(tmp_path: Path) -> None:
    path = write(tmp_path, MINIMAL, {**MINIMAL, "id": "q2"}, "not an object")
    assert [question.id for question in load_questions(path, limit=2)] == ["q1", "q2"]


def test_a_known_field_is_not_taken_for_a_misspelt_answer(tmp_path: Path) -> None:
    row = {"id": "a", "question": "Who?", "answer_aliases": ["Ann"]}
    with pytest.raises(InputError) as caught:
        load_questions(write(tmp_path, row))
    assert "answer_aliases" not in caught.value.hint


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "a", "question": "Who?"}, "the answer is missing"),
        ({"id": "a", "question": "Who?", "anwser": "x"}, "is 'anwser' meant to be 'answer'?"),
        ({"id": "a", "question": "Who?", "answer": " "}, "the field 'answer' is empty"),
        ({"id": "a", "question": "Who?", "answers": []}, "the field 'answers' is empty"),
        ({"id": "a", "question": "Who?", "answer": {"x": 1}}, "no text and no list of texts"),
        ({"id": "a", "answer": "x"}, "the field 'question' is missing"),
        ({"question": "Who?", "answer": "x"}, "the field 'id' is missing"),
        ({**MINIMAL, "hops": "two"}, "'hops' is no whole number"),
        ({**MINIMAL, "decomposition": ["who?"]}, "'decomposition' is no list of objects"),
        ({**MINIMAL, "paragraphs": {}}, "'paragraphs' is no list"),
        (
            {**MINIMAL, "supporting_idx": [5], "paragraphs": [{"title": "A", "text": "a"}]},
            "supporting_idx names paragraph 5",
        ),
        (["a"], "not a JSON object"),
        ({**MINIMAL, "suporting_ids": ["a"]}, "is it meant to be 'supporting_ids'?"),
        ({**MINIMAL, "answer": float("nan")}, "no text and no list of texts"),
        ({**MINIMAL, "hops": float("nan")}, "'hops' is no whole number"),
        ({**MINIMAL, "supporting_facts": [["A"]]}, "no list of [title, sentence]"),
        ({**MINIMAL, "supporting_facts": [["A", "0"]]}, "no list of [title, sentence]"),
        ({**MINIMAL, "ground_relation_paths": ["r"]}, "no list of lists of texts"),
        ({**MINIMAL, "evidence": ["A"]}, "'evidence' is no list of objects"),
        (
            {
                **MINIMAL,
                "decomposition": [{"question": "who?", "paragraph_support_idx": 3}],
                "paragraphs": [{"title": "A", "text": "a"}],
            },
            "paragraph_support_idx names paragraph 3",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: object, message: str) -> None:
    path = write(tmp_path, {**MINIMAL, "id": "good"}, row)
    with pytest.raises(InputError) as caught:
        load_questions(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert message in str(caught.value)


def test_malformed_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(json.dumps(MINIMAL) + '\n{"id": \n', encoding="utf-8")
    with pytest.raises(InputError, match=r"questions\.jsonl:2: malformed JSON"):
        load_questions(path)


def test_an_id_may_stand_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'q1' stands on line 1 already"):
        load_questions(write(tmp_path, MINIMAL, MINIMAL))


def test_an_empty_or_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no question in it"):
        load_questions(write(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        load_questions(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("question_type", "path"),
    [
        ("movie_to_tags", ("has_tags",)),
        ("tag_to_movie", ("has_tags",)),
        ("actor_to_movie_to_actor", ("starred_actors", "starred_actors")),
        (
            "movie_to_director_to_movie_to_genre",
            ("directed_by", "directed_by", "has_genre"),
        ),
        ("movie", ()),
        ("actor_to_genre", ()),
        ("movie_to_budget", ()),
        ("", ()),
    ],
)
def test_a_type_names_its_predicates(question_type: str, path: tuple[str, ...]) -> None:
    assert metaqa_path(question_type) == path


def test_triples_are_those_of_2wiki_and_nothing_else() -> None:
    row = {"evidences": [["Alder Yard", "founder", "Edda Thorn"], "a text", ["two", "parts"]]}
    assert gold_triples(Fields("q.jsonl", 1, row)) == (("Alder Yard", "founder", "Edda Thorn"),)
