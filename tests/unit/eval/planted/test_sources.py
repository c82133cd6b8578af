from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.eval.planted.sources import load_claims
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
