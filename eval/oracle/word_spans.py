"""Texts as words without marks, so that a span is found whatever stands between its words."""

from __future__ import annotations

import re
import unicodedata

Words = tuple[str, ...]

# Unlike the SQuAD normal form this parts what only a mark holds together: "ended).The next".
_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset({"a", "an", "the"})


def words_of(text: str) -> Words:
    """Return the words of a text in order: NFKC, casefold, no marks, no articles."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(word for word in _WORD.findall(folded) if word not in _ARTICLES)


def spaced(words: Words) -> str:
    """Return the words with a space between them and at each end: whole words are found in it."""
    return f" {' '.join(words)} "


def spells(text: str, form: str) -> bool:
    """Return whether a text has the words of a form in a row; one without words is nowhere."""
    words = words_of(form)
    return bool(words) and spaced(words) in spaced(words_of(text))
