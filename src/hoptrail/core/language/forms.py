"""Prefixes under which the forms of a word stand in a sorted list of words."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import product

from hoptrail.core.language.names import without_accents

_PREFIX = 3  # letters that the forms of a word share, bar accents
_LATIN_WITH_ACCENTS = range(0x00E0, 0x0180)


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
