"""Stems of words by language, which bring the forms of a word together."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from hoptrail.core.language.names import english_name, without_accents
from hoptrail.core.language.stop_words import stop_words


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


def content_stems(words: list[str], language: str) -> list[str]:
    """Return the stems of the words that are no stop words of their language, in order."""
    common, stem = stop_words(language), stemmer_of(language)
    return [stem(word) for word in words if word not in common]
