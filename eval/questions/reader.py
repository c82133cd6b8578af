"""Reads a file of questions; every error names the file and the line."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.eval.files.fields import Fields
from hoptrail.eval.files.json_lines import read_json_lines
from hoptrail.eval.questions.gold_facts import (
    gold_relation_paths,
    gold_sentences,
    gold_steps,
    gold_triples,
    passages_at,
)
from hoptrail.eval.questions.question import GLOBAL, Question, SupportReference

_ANSWER_FIELDS = ("answer", "answers", "webquestions_answers")
_SUPPORT_ID_FIELDS = ("supporting_ids", "evidence_ids")
_TYPE_FIELDS = ("type", "question_type", "compositionality_type")
_TOPIC_FIELDS = ("topic_entity", "topic_entities")
_FIELDS = frozenset(
    {
        *_ANSWER_FIELDS,
        *_SUPPORT_ID_FIELDS,
        *_TYPE_FIELDS,
        *_TOPIC_FIELDS,
        "id",
        "question",
        "answer_aliases",
        "hops",
        "supporting_idx",
        "paragraphs",
        "supporting_titles",
        "decomposition",
        "supporting_facts",
        "evidence",
        "evidences",
        "ground_relation_paths",
        "qtype",
        "index",
    }
)
_ALMOST_EQUAL = 0.9


def load_questions(path: Path, limit: int | None = None) -> list[Question]:
    """Read the first `limit` questions (all of them if None) of a JSONL file, plain or gzip.

    Raises:
        InputError: If the file is missing or empty, or a line cannot be used; names the line.
    """
    questions: list[Question] = []
    lines: dict[str, int] = {}
    for fields in islice(read_json_lines(path), limit):
        question = _question(fields)
        if question.id in lines:
            raise fields.error(
                f"the id {question.id!r} stands on line {lines[question.id]} already",
                "give every question its own id",
            )
        lines[question.id] = question.line
        questions.append(question)
    if not questions:
        raise InputError(
            "no question in it", path=str(path), hint="one JSON object a line: id, question, answer"
        )
    return questions


def _question(fields: Fields) -> Question:
    fields.refuse_misspelt(_FIELDS, _ALMOST_EQUAL)
    return Question(
        id=fields.text("id"),
        text=fields.text("question"),
        answers=_answers(fields),
        line=fields.line or 0,
        type=fields.first_text(_TYPE_FIELDS),
        hops=fields.whole_number("hops"),
        topic_entities=fields.first_texts(_TOPIC_FIELDS),
        support=SupportReference(
            fields.first_texts(_SUPPORT_ID_FIELDS),
            passages_at(fields, fields.whole_numbers("supporting_idx"), "supporting_idx"),
            fields.texts("supporting_titles"),
        ),
        steps=gold_steps(fields),
        sentences=gold_sentences(fields),
        relation_paths=gold_relation_paths(fields),
        facts=gold_triples(fields),
        graph=fields.optional_text("index"),
    )


def _answers(fields: Fields) -> tuple[tuple[str, ...], ...]:
    given = [name for name in _ANSWER_FIELDS if name in fields.row]
    if not given and fields.first_text(_TYPE_FIELDS) == GLOBAL:
        return ()
    if not given:
        raise fields.error("the answer is missing", fields.suggest("answer", known=_FIELDS))
    name = next((name for name in given if fields.texts(name)), None)
    if name is None:
        raise fields.error(f"the field {given[0]!r} is empty")
    answers = fields.texts(name)
    if name == "answer" and len(answers) == 1:
        return (tuple(dict.fromkeys((*answers, *fields.texts("answer_aliases")))),)
    return tuple((answer,) for answer in answers)
