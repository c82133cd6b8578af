"""The answers that readers saved, one for each reader and question."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from hoptrail.core.question import question_key
from hoptrail.core.types import Answer, SavedAnswer
from hoptrail.stores.feedback import FeedbackFile, check_room, check_size, naming

_COLUMNS = "id, question, text, reader, created, shared, corrected, documents, evidence"
_FOR_READER = """WHERE question_key = ? AND (shared = 1 OR reader = ?)
    ORDER BY reader = ? DESC, number DESC LIMIT 1"""


class SavedAnswers:
    """The saved answers of one knowledge base.

    Args:
        file: Holds them.
    """

    def __init__(self, file: FeedbackFile) -> None:
        self._file = file

    @property
    def are_kept(self) -> bool:
        """Whether there can be any."""
        return self._file.exists

    def put(self, saved: SavedAnswer) -> None:
        """Store a saved answer; it takes the place of its reader's for the same question.

        Raises:
            InputError: If its evidence is too long, or the reader has too many.
        """
        evidence = _evidence(saved)
        check_size(evidence)
        key = question_key(saved.question)
        with self._file.writing() as connection:
            connection.execute(
                "DELETE FROM saved_answers WHERE question_key = ? AND reader = ?",
                (key, saved.reader),
            )
            check_room(connection, "saved_answers", saved.reader)
            connection.execute(
                f"INSERT INTO saved_answers (question_key, {_COLUMNS})"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    key,
                    saved.id,
                    saved.question,
                    saved.text,
                    saved.reader,
                    saved.created,
                    saved.shared,
                    saved.corrected,
                    json.dumps(dict(saved.documents), ensure_ascii=False),
                    evidence,
                ),
            )

    def for_question(self, question: str, reader: str) -> SavedAnswer | None:
        """Return what is saved for a question: the reader's own, else the latest one for all."""
        values = (question_key(question), reader, reader)
        return next(iter(self._rows(_FOR_READER, values)), None)

    def find(self, saved_id: str) -> SavedAnswer | None:
        """Return a saved answer by its id."""
        return next(iter(self._rows("WHERE id = ?", (saved_id,))), None)

    def latest(
        self, *, reader: str | None = None, limit: int | None = None, offset: int = 0
    ) -> list[SavedAnswer]:
        """Return saved answers, the latest first.

        Args:
            reader: Only this one's.
            limit: How many at most, None for all.
            offset: How many to pass over.
        """
        where = "" if reader is None else "WHERE reader = ?"
        values: tuple[Any, ...] = () if reader is None else (reader,)
        bounds = (-1 if limit is None else limit, offset)
        return self._rows(f"{where} ORDER BY number DESC LIMIT ? OFFSET ?", (*values, *bounds))

    def remove(self, saved_id: str) -> bool:
        """Delete a saved answer; return whether there was one."""
        if not self._file.exists:
            return False
        with self._file.writing() as connection:
            done = connection.execute("DELETE FROM saved_answers WHERE id = ?", (saved_id,))
            return done.rowcount > 0

    def rewrite_evidence(self, doc_ids: Iterable[str], clean: Callable[[Answer], Answer]) -> None:
        """Put what `clean` makes of it in place of the evidence that rests on these documents."""
        if not self._file.exists:
            return
        with self._file.writing() as connection:
            rows = connection.execute("SELECT id, evidence FROM saved_answers").fetchall()
            for saved_id, text in naming(rows, doc_ids):
                evidence = json.loads(text)
                kept = clean(_answer(evidence))
                connection.execute(
                    "UPDATE saved_answers SET evidence = ? WHERE id = ?",
                    (_evidence_of(kept, evidence.get("stated", False)), saved_id),
                )

    def _rows(self, rest: str, values: Sequence[Any]) -> list[SavedAnswer]:
        with self._file.reading() as connection:
            if connection is None:
                return []
            query = f"SELECT {_COLUMNS} FROM saved_answers {rest}"
            return [_saved(row) for row in connection.execute(query, values).fetchall()]


def _evidence(saved: SavedAnswer) -> str:
    kept = Answer("", "", trail=saved.trail, citations=saved.citations, nearest=saved.nearest)
    return _evidence_of(kept, saved.stated)


def _evidence_of(kept: Answer, stated: bool) -> str:
    told = kept.to_contract()
    parts = {name: told[name] for name in ("trail", "citations", "nearest")}
    return json.dumps({**parts, "stated": stated}, ensure_ascii=False)


def _answer(evidence: dict[str, Any]) -> Answer:
    parts = {name: evidence[name] for name in ("trail", "citations", "nearest")}
    return Answer.from_contract({"question": "", "answer": "", **parts})


def _saved(row: Sequence[Any]) -> SavedAnswer:
    id_, question, text, reader, created, shared, corrected, documents, evidence = row
    told = json.loads(evidence)
    kept = _answer(told)
    saved = SavedAnswer(
        id_,
        question,
        text,
        reader,
        created,
        bool(shared),
        bool(corrected),
        json.loads(documents),
    )
    return replace(
        saved,
        trail=kept.trail,
        citations=kept.citations,
        nearest=kept.nearest,
        stated=told.get("stated", False),
    )
