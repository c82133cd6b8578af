"""Writes the everyday documents and the questions over them.

python -m benchmarks.everyday.generate OUT [--set trades]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

if not __package__:  # run as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.everyday.material import (
    NULL,
    Document,
    Organisation,
    Pdf,
    Question,
    plain_text,
    read_organisation,
    verbatim,
)
from benchmarks.everyday.pdf_file import pdf_bytes

NAME = "everyday"
FIRST, SECOND, PRACTICE = "offices", "trades", "practice"
ORGANISATIONS = {
    FIRST: ("ferry", "cheese", "device"),
    SECOND: ("vets", "theatre"),
    PRACTICE: ("school", "printer"),
}


def main() -> int:
    """Write the folder that the command line names."""
    parser = argparse.ArgumentParser(description="Write the everyday documents and questions.")
    parser.add_argument("out", type=Path, help="the folder to write, made if it is not there")
    parser.add_argument("--set", choices=ORGANISATIONS, default=FIRST, help="of which set")
    arguments = parser.parse_args()
    write(arguments.out, arguments.set)
    return 0


def write(out: Path, of_set: str = FIRST) -> None:
    """Write `documents/` and `questions.jsonl` of a set under a folder."""
    for name, document in documents(of_set).items():
        path = out / "documents" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file_bytes(document))
    lines = [json.dumps(row, ensure_ascii=False) for row in question_rows(of_set)]
    (out / "questions.jsonl").write_bytes(("\n".join(lines) + "\n").encode())


def documents(of_set: str = FIRST) -> dict[str, Document]:
    """Return the documents of a set by their path below `documents/`."""
    return {
        f"{folder}/{name}": document
        for folder, organisation in _organisations(of_set)
        for name, document in organisation.documents.items()
    }


def questions(of_set: str = FIRST) -> list[tuple[str, str, Question]]:
    """Return (id, folder, question) of every question of a set."""
    return [
        (f"{folder}-{number:02d}", folder, question)
        for folder, organisation in _organisations(of_set)
        for number, question in enumerate(organisation.questions, start=1)
    ]


def question_rows(of_set: str = FIRST) -> list[dict[str, object]]:
    """Return the questions of a set as the lines of `questions.jsonl`."""
    texts = {name: plain_text(document) for name, document in documents(of_set).items()}
    rows = []
    for key, folder, question in questions(of_set):
        row: dict[str, object] = {
            "id": key,
            "question": question.question,
            "answer": question.answer,
            "answer_aliases": list(question.aliases),
            "type": question.kind,
            "hops": question.hops,
        }
        if question.kind != NULL:
            names = [f"{folder}/{name}" for name, _ in question.evidence]
            row["supporting_ids"] = [f"{NAME}/{name}" for name in dict.fromkeys(names)]
            row["evidence"] = [
                verbatim(texts[name], quotation)
                for name, (_, quotation) in zip(names, question.evidence, strict=True)
            ]
        rows.append(row)
    return rows


def _organisations(of_set: str) -> Iterator[tuple[str, Organisation]]:
    for folder in ORGANISATIONS[of_set]:
        yield folder, read_organisation(Path(__file__).parent / "organisations" / folder)


def file_bytes(document: Document) -> bytes:
    """Return the file of a document."""
    return pdf_bytes(document) if isinstance(document, Pdf) else document.encode()


if __name__ == "__main__":
    sys.exit(main())
