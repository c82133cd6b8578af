"""Write the query of the targeted second retrieval: the one fact that an answer lacked."""

from __future__ import annotations

import re

from hoptrail.core.text import content_words
from hoptrail.core.types.draft import Pattern

_PLAIN_VARIABLE = re.compile(r"\?(?:[a-z]\d*|answer|result|value|var\w*|unknown)$", re.IGNORECASE)


def query_for(missing: Pattern, question: str) -> str:
    """Return the pattern in words, its variables by what their names tell.

    Where no known name is left in it, the question's content words stand in.
    """
    words = worded(missing)
    if len(missing.variables) == 2 or not words:
        words = " ".join(dict.fromkeys([*words.split(), *content_words(question)]))
    return words


def worded(pattern: Pattern) -> str:
    """Return a pattern in words, its variables by what their names tell."""
    terms = (pattern.subject, pattern.predicate, pattern.object)
    return " ".join(filter(None, map(_term_words, terms)))


def _term_words(term: str) -> str:
    if not term.startswith("?"):
        return term
    if _PLAIN_VARIABLE.match(term):
        return ""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_|\d+$", " ", term[1:])
    return " ".join(spaced.lower().split())
