"""Words of scripts without spaces, and of the Arabic script, as they are looked up."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

from hoptrail.core.language.scripts import ARABIC, UNSPACED

_PART = re.compile(
    rf"(?P<unspaced>[{UNSPACED}]+)|(?P<arabic>[{ARABIC}]+)|(?:(?![{UNSPACED}{ARABIC}])[\w'’])+"
)
_MARKS = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
# Signs that writers use for one another: alef with and without hamza, final yeh, digits.
_SAME_LETTERS = str.maketrans("أإآٱىة٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "ااااية01234567890123456789")
_LENGTH = 2


def folded_arabic(text: str) -> str:
    """Return a text without the marks that Arabic writers leave out, one form of alef, yeh, digits.

    Source: Larkey, Ballesteros and Connell, "Improving stemming for Arabic information retrieval",
    SIGIR 2002, the normalisation; other letters stay.
    """
    return _MARKS.sub("", text).translate(_SAME_LETTERS)


def script_words(word: str) -> Iterator[str]:
    """Yield the terms of a lower-cased run of letters in which a script changes or has no spaces.

    Of a script without spaces these are all pairs of neighbouring characters, a lone character as
    it is: no dictionary is needed, and names that no dictionary has are found too. Arabic words are
    stems, without article and pronouns, for these are written on to the word.

    Source: Nie and Ren, "Chinese information retrieval: using characters or words?", Information
    Processing and Management 35(4), 1999; the same pairs as in Lucene's `CJKBigramFilter`.
    """
    for part in _PART.finditer(word):
        found = part.group()
        if part.lastgroup == "unspaced":
            letters = unicodedata.normalize("NFKC", found)
            yield from (
                letters[at : at + _LENGTH] for at in range(max(len(letters) - _LENGTH + 1, 1))
            )
        elif part.lastgroup == "arabic":
            yield from map(_arabic_stem, filter(None, [folded_arabic(found)]))
        elif found.strip("'’"):
            yield found.strip("'’")


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str:  # noqa: N802 - snowballstemmer's name
        ...


@lru_cache(maxsize=1)
def _arabic_stemmer() -> _Stemmer:
    import snowballstemmer

    stemmer: _Stemmer = snowballstemmer.stemmer("arabic")
    return stemmer


@lru_cache(maxsize=65536)
def _arabic_stem(word: str) -> str:
    return _arabic_stemmer().stemWord(word) or word
