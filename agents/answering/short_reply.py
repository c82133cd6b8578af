"""The answer in a small model's reply, which was asked for a few words and may be a sentence.

What the reply says beside the answer is taken off: a marker, an object's field, a question of the
model's own, the words of the question that a sentence repeats. Whatever is left is checked later.
"""

from __future__ import annotations

import re

import json_repair

from hoptrail.agents.answering.reply_parser import final_text, readable, trimmed
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.core.reply_conventions import is_abstention
from hoptrail.core.text import contains_answer, content_words

_CITED = re.compile(
    r"(?<!\s)\s*[\[(](?:(?:passages?|source)\s)?P?\d{1,2}(?:,\s?P?\d{1,2})*[\])]", re.I
)
_REFERENCE = re.compile(r"(?:passages?|source)\s#?P?\d{1,2}\W*|\W*", re.IGNORECASE)
# A small model goes on with a question of its own.
_NEXT_QUESTION = re.compile(r"\n[ \t]{0,9}Question:", re.IGNORECASE)
_YES_NO = re.compile(r"(yes|no)\b[,.;:]", re.IGNORECASE)
_BETWEEN = re.compile(r"[,;]\s{1,4}(?:and\s)?|\sand\s")
_FEWEST_OF_A_SENTENCE = 5  # words
_MOST_READ = 60  # words of a sentence
_FEWEST_ON_A_LIST = 2


def read_short_reply(reply: str, question: str = "", passages: str = "") -> tuple[str, ...]:
    """Return the answers of a reply, none where it abstains or only points at a passage.

    The answer stands after a marker, in a field of an object, or in the first line. Of "Yes, both
    are" it is "yes". A list whose items stand apart in the passages are several answers. Of a
    sentence that repeats the question it is what the passages have of the rest.

    Args:
        reply: As the model wrote it.
        question: As it was asked.
        passages: The text that the model read.
    """
    text = _NEXT_QUESTION.split(readable(reply), maxsplit=1)[0].strip()
    answer = trimmed(_CITED.sub("", _field(text) or final_text(text) or text.partition("\n")[0]))
    if is_abstention(answer) or _REFERENCE.fullmatch(answer):
        return ()
    if not passages or contains_answer(passages, answer):
        return (answer,)
    focus = focus_of(question)
    verdict = _YES_NO.match(answer)
    if verdict and focus.answer_type == "yes_no":
        return (verdict[1].lower(),)
    items = [item for item in _BETWEEN.split(answer) if item]
    if len(items) >= _FEWEST_ON_A_LIST and all(contains_answer(passages, item) for item in items):
        return tuple(dict.fromkeys(items))
    asks_for_thing = focus.end > focus.start  # not why, or how something is done
    return (asks_for_thing and _unrepeated(answer, question, passages) or answer,)


def _field(text: str) -> str:
    """Return the answer of a reply that is an object, as models write that are asked for one."""
    if not text.startswith("{"):
        return ""
    found = json_repair.loads(text)
    if not isinstance(found, dict):
        return ""
    return str(found.get("answer", next(iter(found.values()), "")))


def _unrepeated(sentence: str, question: str, passages: str) -> str:
    """Return the most words in a row that a passage has and the question has not.

    Nothing is returned where the sentence repeats nothing of the question.
    """
    words = sentence.split()[:_MOST_READ]
    asked = word_groups(question)
    is_repeated = [bool(word_groups(word) & asked) for word in words]
    if len(words) < _FEWEST_OF_A_SENTENCE or not any(is_repeated):
        return ""
    best, weight = "", 0
    for first in range(len(words)):
        for end in range(first + 1, len(words) + 1):
            if is_repeated[end - 1]:
                break
            run = " ".join(words[first:end])
            is_bare = bool(content_words(words[first])) and bool(content_words(words[end - 1]))
            own = len(content_words(run))
            if is_bare and own >= weight and contains_answer(passages, run):
                best, weight = run, own
    return trimmed(best.rstrip(",;:"))
