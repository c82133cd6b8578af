"""Stems of words by language, which bring the forms of a word together."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from hoptrail.core.language.names import english_name, without_accents
from hoptrail.core.language.stop_words import function_words
from hoptrail.core.text import words


@lru_cache(maxsize=32)
def stemmer_of(language: str) -> Callable[[str], str]:
    """Return the function from a lower-cased word to its stem without accents.

    Source: the Snowball stemmers; of a language without one only accents are taken off. Arabic has
    its stems from `script_words`.
    """
    from snowballstemmer import algorithms, stemmer

    algorithm = english_name(language).lower().partition(" ")[0]
    is_known = algorithm in algorithms() and algorithm != "arabic"
    found = stemmer(algorithm) if is_known else None

    @lru_cache(maxsize=65536)
    def stem(word: str) -> str:
        return without_accents(found.stemWord(word) if found else word)

    return stem


def content_stems(text: str, language: str) -> frozenset[str]:
    """Return the stems of a text's words but for those that tell nothing of a subject."""
    common, stem = _function_stems(language), stemmer_of(language)
    return frozenset(stem(word) for word in words(text)) - common


@lru_cache(maxsize=32)
def _function_stems(language: str) -> frozenset[str]:
    stem = stemmer_of(language)
    return frozenset(stem(word) for common in function_words(language) for word in words(common))
