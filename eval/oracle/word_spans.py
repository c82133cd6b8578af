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


def span_of(text: str, form: str) -> tuple[int, int] | None:
    """Return the first characters of a text that spell a form, and what follows them."""
    wanted = words_of(form)
    found = [match.span() for match in _WORD.finditer(text)]
    spans = [(start, end) for start, end in found if words_of(text[start:end])]
    folded = [words_of(text[start:end]) for start, end in spans]
    for first in range(len(spans) - len(wanted) + 1 if wanted else 0):
        last = first + len(wanted)
        if all(len(own) == 1 for own in folded[first:last]) and (
            tuple(own[0] for own in folded[first:last]) == wanted
        ):
            return spans[first][0], spans[last - 1][1]
    return None
