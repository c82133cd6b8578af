"""Questions about a corpus as a whole, their ids, and what counts as the same question."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from hoptrail.core.text import content_words, normalize_answer
from hoptrail.core.types import Record
from hoptrail.eval.questions.question import GLOBAL

_LIST_MARK = re.compile(r"^\s*(?:[-*•]|\(?\d{1,3}[.):])\s+")
_FEWEST_CONTENT_WORDS = 2
_MOST_CHARACTERS = 400
_SAME_WORDS = 0.9


@dataclass(frozen=True, slots=True)
class GlobalQuestion(Record):
    """A question without a gold answer, and for whom and for what it was written."""

    id: str
    question: str
    type: str
    persona: str
    task: str


def make_question(text: str, persona: str, task: str) -> GlobalQuestion | None:
    """Return the question, None where the text is too short or too long to be one.

    The id depends on the question's words alone.
    """
    question = tidy(text)
    if len(question) > _MOST_CHARACTERS or len(content_words(question)) < _FEWEST_CONTENT_WORDS:
        return None
    digest = hashlib.sha256(normalize_answer(question).encode()).hexdigest()[:12]
    return GlobalQuestion(f"{GLOBAL}-{digest}", question, GLOBAL, persona, task)


def tidy(text: str) -> str:
    """Return a line of a list without its mark and superfluous white space."""
    return " ".join(_LIST_MARK.sub("", text).split())


def distinct_questions(texts: Iterable[str]) -> list[int]:
    """Return the places of the texts that repeat no kept one before them.

    A text repeats another one with which it shares nine tenths of all content words.
    """
    kept: list[tuple[int, frozenset[str]]] = []
    for place, text in enumerate(texts):
        said = frozenset(content_words(text))
        if not any(_overlap(said, other) >= _SAME_WORDS for _, other in kept):
            kept.append((place, said))
    return [place for place, _ in kept]


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first | second else 1.0
