"""The everyday documents and the questions over them."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from benchmarks.everyday.generate import (
    FIRST,
    NAME,
    ORGANISATIONS,
    PRACTICE,
    SECOND,
    documents,
    file_bytes,
    question_rows,
    questions,
    write,
)
from benchmarks.everyday.material import NO_ANSWER, NULL, ONE_HOP, TWO_HOP, Pdf, plain_text

FROZEN = {  # README.md, section Frozen
    FIRST: "02d1fd04e5b059a2e3db5e6f4aecd00b7489a03fdd32ecd9373f4a399ff4db04",
    SECOND: "c85d53d79813910634fce8c5aa73b665b47af01df97b98cb28e2f5c145b8bb3b",
    PRACTICE: "da073858fa67b7a9865d423585ac554bff71e44b37deb96fb21a658cc66513dc",
}
COMPARISON = re.compile(r"^(Which of the two|Who has been .* longer),? .* or .*\?$")
TEXTS = {
    f"{NAME}/{name}": plain_text(document)
    for of_set in ORGANISATIONS
    for name, document in documents(of_set).items()
}
ROWS = [row for of_set in ORGANISATIONS for row in question_rows(of_set)]


def read_back(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def digest(files: dict[str, bytes]) -> str:
    lines = [f"{sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())]
    return sha256("".join(lines).encode()).hexdigest()


def words(text: str) -> str:
    """Return the words a reader sees: no tags, no broken lines, lower case."""
    shown = html.unescape(re.sub(r"<[^>]+>", " ", text))
    return " ".join(re.sub(r"[^\w.°&]+", " ", shown.replace("-\n", "")).lower().split())


@pytest.mark.parametrize("of_set", ORGANISATIONS)
def test_two_runs_write_the_same_frozen_bytes(of_set: str, tmp_path: Path) -> None:
    write(tmp_path / "one", of_set)
    write(tmp_path / "two", of_set)
    first = read_back(tmp_path / "one")
    assert first == read_back(tmp_path / "two")
    assert digest(first) == FROZEN[of_set]


def test_documents_are_many_and_of_five_formats() -> None:
    assert len(documents()) >= 34
    suffixes = Counter(Path(name).suffix for name in documents())
    assert set(suffixes) == {".txt", ".md", ".html", ".pdf", ".csv"}
    assert suffixes[".pdf"] == 4


def test_questions_are_sixty_of_three_kinds() -> None:
    rows = question_rows()
    assert Counter(row["type"] for row in rows) == {ONE_HOP: 25, TWO_HOP: 25, NULL: 10}
    assert len({row["id"] for row in rows}) == 60
    assert len({row["question"] for row in rows}) == 60
    assert sum(bool(COMPARISON.match(str(row["question"]))) for row in rows) <= 4
    assert not [row for row in rows if str(row["answer"]).lower() in {"yes", "no"}]


def test_the_second_set_has_other_formats_and_as_many_kinds_of_questions() -> None:
    suffixes = {Path(name).suffix for name in documents(SECOND)}
    assert suffixes == {".txt", ".md", ".html", ".csv", ".eml"}
    rows = question_rows(SECOND)
    assert Counter(row["type"] for row in rows) == {ONE_HOP: 28, TWO_HOP: 20, NULL: 8}
    assert len({row["question"] for row in rows}) == 56


def test_questions_jsonl_holds_the_rows(tmp_path: Path) -> None:
    write(tmp_path)
    lines = (tmp_path / "questions.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == question_rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_evidence_stands_in_the_supporting_documents(row: dict[str, object]) -> None:
    supporting, evidence = row.get("supporting_ids", []), row.get("evidence", [])
    assert isinstance(supporting, list) and isinstance(evidence, list)
    for sentence in evidence:
        assert any(sentence in TEXTS[name] for name in supporting)
    for name in supporting:
        assert any(sentence in TEXTS[name] for sentence in evidence)
    assert len(evidence) >= {ONE_HOP: 1, TWO_HOP: 2, NULL: 0}[str(row["type"])]
    assert bool(supporting) == bool(evidence) == (row["type"] != NULL)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_evidence_holds_the_answer_and_the_question_does_not(row: dict[str, object]) -> None:
    aliases, evidence = row["answer_aliases"], row.get("evidence", [])
    assert isinstance(aliases, list) and isinstance(evidence, list)
    accepted = [f" {words(text)} " for text in (row["answer"], *aliases)]
    if row["type"] == NULL or COMPARISON.match(str(row["question"])):
        return
    stated = [f" {words(sentence)} ".replace(". ", " ") for sentence in evidence]
    assert any(answer in sentence for answer in accepted for sentence in stated)
    asked = f" {words(str(row['question']).rstrip('?'))} "
    assert not any(answer in asked for answer in accepted)


def test_no_unanswerable_question_states_its_answer() -> None:
    asked = [question for of_set in ORGANISATIONS for _, _, question in questions(of_set)]
    unanswerable = [question for question in asked if question.kind == NULL]
    for question in unanswerable:
        assert question.answer == NO_ANSWER
        assert NO_ANSWER.lower() not in question.question.lower()
        assert any(question.tempting in text for text in TEXTS.values())
        assert question.tempting.lower() not in question.question.lower()


@pytest.mark.parametrize("name", [n for n, d in documents().items() if isinstance(d, Pdf)])
def test_a_pdf_reads_back_as_its_text(name: str) -> None:
    reader = PdfReader(BytesIO(file_bytes(documents()[name])))
    read = "\n".join(page.extract_text() for page in reader.pages)
    assert len(reader.pages) >= 2
    assert read.split() == plain_text(documents()[name]).split()
