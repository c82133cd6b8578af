"""The commonest words of a language: they tell the language of a text, and little of its subject.

The lists are those of jusText, which reads web pages in a hundred languages by them.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

_FUNCTION_WORDS = 100  # further down the lists, words of encyclopedias begin ("city", "film")


@lru_cache(maxsize=256)
def english_name(language: str) -> str:
    """Return the English name of a language, "" where CLDR has none; "nb" is "Norwegian Bokmål".

    Args:
        language: ISO 639 code.
    """
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(language).get_display_name("en") or ""
    except (ValueError, UnknownLocaleError):
        return ""


def without_accents(text: str) -> str:
    """Return a text whose Latin, Greek and Cyrillic letters have lost their accents."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


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


@lru_cache(maxsize=1)
def _stop_lists() -> Path | None:
    """Return where jusText has its lists; it is not imported, as it loads a parser of HTML."""
    found = find_spec("justext")
    places = found.submodule_search_locations if found is not None else None
    return Path(next(iter(places))) / "stoplists" if places else None


def _listed(language: str) -> list[str]:
    """Return the words of a list, the commonest first."""
    name = without_accents(english_name(language)).replace(" ", "_")
    folder = _stop_lists()
    if not name or folder is None or not (file := folder / f"{name}.txt").is_file():
        return []
    lines = file.read_text(encoding="utf-8").lower().split()
    return list(dict.fromkeys(word for word in lines if word.isalpha() or "'" in word))
