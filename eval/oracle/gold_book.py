"""The gold of every question of a run, looked up by the question's text."""

from __future__ import annotations

from collections.abc import Iterable

from hoptrail.core.errors import InputError
from hoptrail.core.text import normalize_answer
from hoptrail.eval.questions.question import Question

_SHOWN = 80


class GoldBook:
    """Questions by their text: as it is written, else normalised.

    MuSiQue has questions that differ in their capitals alone, with different gold. Of two that
    read exactly alike the first one counts.
    """

    def __init__(self, questions: Iterable[Question]) -> None:
        self._by_text: dict[str, Question] = {}
        self._by_key: dict[str, Question] = {}
        for question in questions:
            self._by_text.setdefault(question.text.strip(), question)
            self._by_key.setdefault(_key(question.text), question)

    def look_up(self, text: str) -> Question:
        """Return the question that reads like this, whatever its case, marks and white space.

        Raises:
            InputError: If there is none.
        """
        question = self._by_text.get(text.strip()) or self._by_key.get(_key(text))
        if question is None:
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            raise InputError(
                f"the oracle reader knows no question {shown!r}",
                hint="it answers the questions that it was made with; use a language model",
            )
        return question


def _key(text: str) -> str:
    return normalize_answer(text) or text.strip()
