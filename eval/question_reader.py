"""Reads a file of questions; every error names the file and the line."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.eval.questions import GoldStep, Question, Support
from hoptrail.indexing.jsonl import Row, read_rows, text_field
from hoptrail.indexing.skipped import Skipped

_ANSWER_FIELDS = ("answer", "answers", "webquestions_answers")
_SUPPORT_ID_FIELDS = ("supporting_ids", "evidence_ids")
_TYPE_FIELDS = ("type", "question_type")
_TOPIC_FIELDS = ("topic_entity", "topic_entities")


def load_questions(path: Path, limit: int | None = None) -> list[Question]:
    """Read the first `limit` questions (all of them if None) of a JSONL file.

    Raises:
        InputError: If the file is missing or empty, or a line cannot be used; names the line.
    """
    if not path.is_file():
        raise InputError("no such file", path=str(path))
    questions: list[Question] = []
    lines: dict[str, int] = {}
    for number, row in islice(_rows(path), limit):
        question = _Fields(path, number, row).question()
        if question.id in lines:
            raise InputError(
                f"the id {question.id!r} stands on line {lines[question.id]} already",
                path=str(path),
                line=number,
                hint="give every question its own id",
            )
        lines[question.id] = number
        questions.append(question)
    if not questions:
        raise InputError(
            "no question in it", path=str(path), hint="one JSON object a line: id, question, answer"
        )
    return questions


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    with path.open("rb") as stream:
        for row in read_rows(stream, str(path)):
            if isinstance(row, Skipped):
                raise InputError(row.reason, path=row.path)
            yield row


@dataclass(frozen=True, slots=True)
class _Fields:
    """One line's fields, read with errors that name the line."""

    path: Path
    line: int
    row: Row

    def question(self) -> Question:
        return Question(
            id=self._text("id"),
            text=self._text("question"),
            answers=self._answers(),
            line=self.line,
            type=next((t for name in _TYPE_FIELDS if (t := text_field(self.row, name))), None),
            hops=self._hops(),
            topic_entities=self._first_texts(_TOPIC_FIELDS),
            support=self._support(),
            steps=self._steps(),
        )

    def _error(self, message: str, hint: str = "") -> InputError:
        return InputError(message, path=str(self.path), line=self.line, hint=hint)

    def _text(self, name: str) -> str:
        value = text_field(self.row, name)
        if value:
            return value
        if name in self.row:
            raise self._error(f"the field {name!r} is empty or no text")
        raise self._error(f"the field {name!r} is missing", self._suggest(name))

    def _suggest(self, name: str) -> str:
        close = difflib.get_close_matches(name, self.row, n=1)
        return f"is {close[0]!r} meant to be {name!r}?" if close else "see the question format"

    def _texts(self, name: str) -> tuple[str, ...]:
        value = self.row.get(name)
        if value is None:
            return ()
        items = value if isinstance(value, list) else [value]
        if any(isinstance(item, bool) or not isinstance(item, str | int | float) for item in items):
            raise self._error(f"the field {name!r} is no text and no list of texts")
        return tuple(dict.fromkeys(str(item).strip() for item in items if str(item).strip()))

    def _first_texts(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return next((texts for name in names if (texts := self._texts(name))), ())

    def _answers(self) -> tuple[tuple[str, ...], ...]:
        name = next((field for field in _ANSWER_FIELDS if field in self.row), None)
        if name is None:
            raise self._error("the answer is missing", self._suggest("answer"))
        answers = self._texts(name)
        if not answers:
            raise self._error(f"the field {name!r} is empty")
        if name == "answer" and len(answers) == 1:
            return (tuple(dict.fromkeys((*answers, *self._texts("answer_aliases")))),)
        return tuple((answer,) for answer in answers)

    def _hops(self) -> int | None:
        value = self.row.get("hops")
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise self._error("the field 'hops' is no whole number")

    def _support(self) -> Support:
        return Support(
            self._first_texts(_SUPPORT_ID_FIELDS),
            self._supporting_passages(),
            self._texts("supporting_titles"),
        )

    def _supporting_passages(self) -> tuple[tuple[str, str], ...]:
        paragraphs = [self._object(item, "paragraphs") for item in self._list("paragraphs")]
        if not paragraphs:
            return ()
        by_place = {item.get("idx", place): item for place, item in enumerate(paragraphs)}
        passages = []
        for place in self._numbers("supporting_idx"):
            if place not in by_place:
                raise self._error(f"supporting_idx names paragraph {place}, which is not there")
            paragraph = by_place[place]
            passages.append((str(paragraph.get("title", "")), str(paragraph.get("text", ""))))
        return tuple(passages)

    def _steps(self) -> tuple[GoldStep, ...]:
        steps = (self._object(item, "decomposition") for item in self._list("decomposition"))
        return tuple(
            GoldStep(str(step.get("question", "")), str(step.get("answer", ""))) for step in steps
        )

    def _list(self, name: str) -> list[Any]:
        value = self.row.get(name)
        if value is None or isinstance(value, list):
            return value or []
        raise self._error(f"the field {name!r} is no list")

    def _numbers(self, name: str) -> list[int]:
        numbers = self._list(name)
        if any(isinstance(item, bool) or not isinstance(item, int) for item in numbers):
            raise self._error(f"the field {name!r} is no list of whole numbers")
        return numbers

    def _object(self, item: Any, name: str) -> Mapping[str, Any]:
        if isinstance(item, Mapping):
            return item
        raise self._error(f"the field {name!r} is no list of objects")
