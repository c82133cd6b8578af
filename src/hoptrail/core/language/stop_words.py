"""The commonest words of a language: they tell the language of a text, and little of its subject.

The lists are those of jusText, which reads web pages in a hundred languages by them.
"""

from __future__ import annotations

from functools import lru_cache
from pkgutil import get_data

from hoptrail.core.language.names import english_name, without_accents

_FUNCTION_WORDS = 100  # further down the lists, words of encyclopedias begin ("city", "film")


@lru_cache(maxsize=64)
def stop_words(language: str, most: int | None = None) -> frozenset[str]:
    """Return the commonest words of a language, lower-cased; none where jusText has no list.

    Args:
        language: ISO 639 code, such as "de".
        most: How many at most.
    """
    return frozenset(_listed(language)[:most])


def function_words(language: str) -> frozenset[str]:
    """Return the words of a language that tell nothing of a subject, lower-cased."""
    return stop_words(language, _FUNCTION_WORDS)


def _listed(language: str) -> list[str]:
    """Return the words of a list, the commonest first."""
    name = without_accents(english_name(language)).replace(" ", "_")
    try:
        listed = get_data("justext", f"stoplists/{name}.txt") if name else None
    except FileNotFoundError:
        return []
    lines = (listed or b"").decode("utf-8").lower().split()
    return list(dict.fromkeys(word for word in lines if word.isalpha() or "'" in word))
