from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.eval.planted.sources import Passage, literal_claims, load_claims, worded_claims
from tests.unit.eval.planted.garden import BORN, KOSS, MILL

Fact = tuple[str, str, str]


def write(path: Path, *rows: JsonDict) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def facts(path: Path, form: str) -> set[Fact]:
    return {(one.subject, one.predicate, one.object) for one in load_claims(path, form)}


def test_file_of_claims_is_read_as_it_is(tmp_path: Path) -> None:
    assert load_claims(write(tmp_path / "a.jsonl", BORN.to_json()), "claims") == [BORN]


def test_quote_must_stand_in_its_passage(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {**BORN.to_json(), "quote": "Ada was born."})
    with pytest.raises(InputError, match="quote does not stand") as error:
        load_claims(path, "claims")
    assert error.value.line == 1


def test_evidence_triples_are_claims_where_a_supporting_passage_has_them(tmp_path: Path) -> None:
    question = {
        "id": "q",
        "evidences": [["Ada Koss", "sibling", "Jon Koss"], ["Ada Koss", "spouse", "Per Lund"]],
        "supporting_titles": ["Ada Koss"],
        "paragraphs": [{"title": "Ada Koss", "text": KOSS.replace("Jon Koss", "Jon")}],
    }
    question["evidences"][0][2] = "Jon"  # type: ignore[index]
    found = facts(write(tmp_path / "a.jsonl", question), "questions")
    assert ("Ada Koss", "sibling", "Jon") in found
    assert not any(object_ == "Per Lund" for _, _, object_ in found)


def test_steps_of_a_decomposition_are_claims(tmp_path: Path) -> None:
    question = {
        "id": "q",
        "decomposition": [
            {"question": "Red Mill >> director", "answer": "Ada Koss", "paragraph_support_idx": 4},
            {"question": "#1 >> occupation", "answer": "director", "paragraph_support_idx": 5},
            {"question": "who sailed", "answer": "Jon Koss", "paragraph_support_idx": 5},
        ],
        "paragraphs": [
            {"idx": 4, "title": "Red Mill", "text": MILL},
            {"idx": 5, "title": "Ada Koss", "text": KOSS},
        ],
    }
    found = facts(write(tmp_path / "a.jsonl", question), "questions")
    assert {("Red Mill", "director", "Ada Koss"), ("Ada Koss", "occupation", "director")} <= found
    assert "Jon Koss" not in {object_ for _, _, object_ in found}


def test_extracted_triple_must_be_spelled_in_order(tmp_path: Path) -> None:
    row = {
        "passage_id": 1,
        "title": "Red Mill",
        "text": MILL,
        "triples": [
            ["Red Mill", "directed by", "Ada Koss"],
            ["premiere", "took place in", "Varde"],
            ["Per Lund", "directed", "Red Mill"],
            ["Red Mill", "owned by", "Ada Koss"],
        ],
    }
    assert facts(write(tmp_path / "a.jsonl", row), "triples") == {
        ("Red Mill", "directed by", "Ada Koss"),
        ("premiere", "took place in", "Varde"),
    }


def test_documents_of_a_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("The pump was supplied by Corvane Works in May.\n")
    assert facts(tmp_path, "documents") == {("The pump", "was supplied by", "Corvane Works")}


def test_unknown_form_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        load_claims(tmp_path / "a.jsonl", "tables")
    assert "questions" in error.value.hint


def worded(title: str, text: str) -> set[tuple[str, str]]:
    found = list(worded_claims(Passage("p", title, text)))
    assert all(claim.subject == title for claim in found)
    return {(claim.object, claim.quote) for claim in found}


@pytest.mark.parametrize(
    ("title", "text", "objects"),
    [
        (
            "Ada Koss",
            "Ada Maria Koss (4 May 1902 – 7 June 1980) was a Danish politician.",
            {"4 May 1902", "7 June 1980", "Danish", "politician"},
        ),
        ("Red Mill", "Red Mill is a 1951 film written and directed by Ada Koss.", {"Ada Koss"}),
        ("Ada Koss", "Ada Koss paints. She was born in Varde.", {"Varde"}),
    ],
)
def test_known_wordings_are_read(title: str, text: str, objects: set[str]) -> None:
    assert {object_ for object_, _ in worded(title, text)} == objects


@pytest.mark.parametrize(
    "text",
    [
        "Red Mill is a sequel to the film Blue Mill, directed by Ada Koss.",
        "Red Mill is a film about a painter who was directed by Ada Koss.",
        "Red Mill was founded by Copenhagen native painters.",
        "Per Lund lived there. He died in Varde.",
    ],
)
def test_sentence_that_may_speak_of_something_else_gives_none(text: str) -> None:
    assert worded("Red Mill", text) == set()


def test_pronoun_of_the_other_sex_is_not_the_topic() -> None:
    text = "Jon Koss paints. He is tall. She died in Varde."
    assert worded("Jon Koss", text) == set()


def literal(sentence: str) -> list[Fact]:
    found = literal_claims(Passage("p", "Notes", sentence), [sentence])
    return [(claim.subject, claim.predicate, claim.object) for claim in found]


def test_words_between_subject_and_object_are_the_predicate() -> None:
    assert literal("The new pump was supplied by Corvane Works in May.") == [
        ("The new pump", "was supplied by", "Corvane Works")
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "The pump was not supplied by Corvane Works.",
        "The pump will be supplied by Corvane Works.",
        "In 1990 it was supplied by Corvane Works.",
        "Was it supplied by Corvane Works?",
    ],
)
def test_what_is_no_plain_statement_gives_none(sentence: str) -> None:
    assert literal(sentence) == []
