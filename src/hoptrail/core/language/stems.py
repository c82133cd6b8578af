"""Stems of words by language, and prefixes: what brings the forms of a word together."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import product

from hoptrail.core.language.stop_words import english_name, function_words, without_accents
from hoptrail.core.text import words

_PREFIX = 3  # letters that the forms of a word share, bar accents
_LATIN_WITH_ACCENTS = range(0x00E0, 0x0180)


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


def shared_prefixes(word: str) -> list[str]:
    """Return the first letters of a word with and without every accent that Latin letters take.

    So "seance" finds "séance", and the other way round, in a list that keeps accents.
    """
    variants = [_variants(letter) for letter in without_accents(word[:_PREFIX])[:_PREFIX]]
    return ["".join(letters) for letters in product(*variants)]


def _variants(letter: str) -> str:
    return letter + _accented().get(letter, "")


@lru_cache(maxsize=1)
def _accented() -> dict[str, str]:
    """Return the lower-cased letters with accents by the letter without."""
    found: dict[str, str] = {}
    for letter in map(chr, _LATIN_WITH_ACCENTS):
        base = unicodedata.normalize("NFKD", letter)[0]
        if letter.islower() and base != letter:
            found[base] = found.get(base, "") + letter
    return found
