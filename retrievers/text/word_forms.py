"""The forms of a word that the passages of a base have, in languages other than English."""

from __future__ import annotations

import numpy as np

from hoptrail.core.embedding import IdArray
from hoptrail.core.language.stems import shared_prefixes, stemmer_of

_LAST = "\U0010ffff"
_MOST = 2000  # words with the same first letters that are looked at


def word_forms(words: IdArray, term: str, language: str) -> list[int]:
    """Return the rows of the words with the stem of a term, accents aside, ascending.

    Only words that share its first letters are looked at, so a base of any size takes a moment.

    Args:
        words: All words, sorted.
        term: A lower-cased word.
        language: ISO 639 code.
    """
    stem = stemmer_of(language)
    wanted = stem(term)
    prefixes = shared_prefixes(term)
    firsts = np.searchsorted(words, prefixes)
    lasts = np.searchsorted(words, [prefix + _LAST for prefix in prefixes])
    near = sorted({row for one, end in zip(firsts, lasts, strict=True) for row in range(one, end)})
    return [row for row in near[:_MOST] if stem(str(words[row])) == wanted]
