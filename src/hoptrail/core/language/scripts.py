"""Scripts whose words are not found by spaces, capitals or letters alone."""

from __future__ import annotations

import re

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts that put no spaces between words, as a part of a regular expression's class."""
ARABIC = "\u0610-\u061a\u0620-\u06ff\u0750-\u077f\u08a0-\u08ff"
"""Letters and marks of the Arabic script, as a part of a regular expression's class."""

_OTHER = re.compile(f"[{UNSPACED}{ARABIC}]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_LETTERS = re.compile(r"[^\W\d_]+")
_LEAST_SHARE = 0.2  # of the letters; a Chinese sentence about software may have as few


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
