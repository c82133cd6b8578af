"""Questions that a text asks itself and answers below, as lists of frequent questions do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from hoptrail.core.text import flat

# "### How do I join?", "**How do I join?**", "Q: How do I join?", "3. How do I join?" in bold.
_QUESTION = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]{1,9}(?:Q(?:uestion)?[ \t]?\d{0,3}[.:)][ \t]?)?"
    r"|(?:[-*][ \t]{1,3})?\*\*(?:Q(?:uestion)?[ \t]?\d{0,3}[.:)][ \t]?)?"
    r"|(?:\*\*)?Q(?:uestion)?[ \t]?\d{0,3}[.:)](?:\*\*)?[ \t]{1,3})"
    r"(?:\d{1,3}[.)][ \t]{1,3})?(?P<question>[^\n?]{5,200}\?)[ \t*#]{0,9}"
)
# A line of its own that opens a paragraph, and the answer goes on below it: bold type may be lost.
_OPENING = re.compile(r"(?P<question>[^\W\d_][^\n?:]{5,200}\?)\s{0,9}")
_ANSWER_SIGN = re.compile(r"(?:\*\*)?A(?:nswer)?[ \t]?\d{0,3}[.:)](?:\*\*)?[ \t]{1,3}")
_LINE = re.compile(r"[^\n]*")
_UNDERLINE = re.compile(r"[ \t]{0,3}(?:={3,}|-{3,})[ \t]{0,3}")
_LONGEST = 600  # characters of an answer


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question of a text, without its signs, and the paragraph below it.

    `start` and `end` are the paragraph's, in the text.
    """

    question: str
    start: int
    end: int
    answer: str


@lru_cache(maxsize=512)
def answered_questions(text: str) -> tuple[AnsweredQuestion, ...]:
    """Return the questions of a text that have an answer below, in order."""
    return tuple(_answered(text)) if "?" in text else ()


def _answered(text: str) -> Iterator[AnsweredQuestion]:
    question, start, end = "", -1, -1
    told = ""
    for line in _LINE.finditer(text):
        before, told = told, line.group().strip()
        asked = _QUESTION.fullmatch(line.group())
        if asked is None and not before and _goes_on(text, line.end()):
            asked = _OPENING.fullmatch(line.group())
        is_over = asked is not None or told.startswith("#") or not told
        if question and start >= 0 and is_over:
            yield from _of(question, start, end, text)
            question = ""
        if asked is not None:
            question, start = flat(asked["question"]).strip("* "), -1
        elif told.startswith("#"):
            question = ""
        elif question and told and not _UNDERLINE.fullmatch(line.group()):
            if start < 0:
                indent = len(line.group()) - len(line.group().lstrip())
                sign = _ANSWER_SIGN.match(told)
                start = line.start() + indent + (sign.end() if sign else 0)
            end = line.end()
    if question and start >= 0:
        yield from _of(question, start, end, text)


def _goes_on(text: str, end: int) -> bool:
    """Return whether another line of the same paragraph follows."""
    return bool(text[end + 1 : end + 2].strip())


def _of(question: str, start: int, end: int, text: str) -> Iterator[AnsweredQuestion]:
    answer = flat(text[start:end])
    if answer and len(answer) <= _LONGEST and not answer.endswith("?"):
        yield AnsweredQuestion(question, start, start + len(text[start:end].rstrip()), answer)
