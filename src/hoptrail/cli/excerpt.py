"""The part of a passage that `retrieve` shows: from the sentence nearest to the question on."""

from __future__ import annotations

import re

from hoptrail.core.text import content_words, name_key, sentence_spans

_FRONT_MATTER = re.compile(r"\s{0,9}---[ \t]{0,9}\n(?:[^\n]{0,400}\n){0,50}?---[ \t]{0,9}\n")
_FIELD = re.compile(r"[a-z][a-z_-]{0,30}: [^;\n]{1,400}")


def excerpt(text: str, title: str, question: str) -> str:
    """Return a passage from the sentence on that has most words of a question, without line ends.

    Where none has one it is the beginning, without fields of a front matter and without a heading
    that repeats the title.
    """
    beginning = start = _beginning(text, title)
    wanted = frozenset(content_words(question))
    best = 0
    for first, last in sentence_spans(text):
        told = len(wanted & frozenset(content_words(text[first:last])))
        if first >= beginning and told > best:
            best, start = told, first
    before = "" if start == beginning else "… "
    return before + " ".join(text[start:].split())


def _beginning(text: str, title: str) -> int:
    front = _FRONT_MATTER.match(text)
    start = front.end() if front else 0
    for first, last in sentence_spans(text):
        line = text[first:last]
        is_title = name_key(line.lstrip("# ")) == name_key(title)
        if first >= start and not (is_title or _FIELD.fullmatch(line)):
            return first
    return start
