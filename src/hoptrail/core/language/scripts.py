"""Scripts whose words are not found by spaces, capitals or letters alone, and their words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts that put no spaces between words, as a part of a regular expression's class."""
ARABIC = "\u0610-\u061a\u0620-\u06ff\u0750-\u077f\u08a0-\u08ff"
"""Letters and marks of the Arabic script, as a part of a regular expression's class."""

_OTHER = re.compile(f"[{UNSPACED}{ARABIC}]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_LETTERS = re.compile(r"[^\W\d_]+")
_LEAST_SHARE = 0.2  # of the letters; a Chinese sentence about software may have as few
_PART = re.compile(
    rf"(?P<unspaced>[{UNSPACED}]+)|(?P<arabic>[{ARABIC}]+)|(?:(?![{UNSPACED}{ARABIC}])[\w'’])+"
)
_MARKS = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
# Signs that writers use for one another: alef with and without hamza, final yeh, digits.
_SAME_LETTERS = str.maketrans("أإآٱىة٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "ااااية01234567890123456789")
_LENGTH = 2


def has_other_words(text: str) -> bool:
    """Return whether spaces and letters alone do not tell the words of a text.

    A text in Latin letters that gives a name in its own script beside ("Kwon Boa (權珤雅)") is read
    as if it had no other letters.
    """
    if text.isascii():
        return False
    other = len(_OTHER.findall(text))
    return other > 0 and other >= _LEAST_SHARE * len(_LATIN.findall(text))


def is_latin(text: str) -> bool:
    """Return whether most letters of a text are Latin ones; of a text without letters too."""
    if text.isascii():
        return True
    letters = sum(map(len, _LETTERS.findall(text)))
    return 2 * len(_LATIN.findall(text)) >= letters


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
