"""Whether the text of a PDF page is the text that its picture shows."""

from __future__ import annotations

import re
import unicodedata
from contextlib import closing
from typing import Any

NO_TEXT = "holds no text"
BROKEN = "its text is not what its picture shows"

_MOST_BROKEN = 0.2  # of the characters
_MOST_WITHOUT_VOWEL = 0.5  # of the longer words
_LEAST_WORDS = 12
_FEW = 60  # characters, such as the stamp of a scanner
_COVERS = 0.5  # of the page
_CHARACTERS = 20_000
_LONGER_WORD = re.compile(r"[^\W\d_]{4,}")
_VOWEL = re.compile("[aeiouyäöüåæœøáéíóúàèìòùâêîôûãõőűěůįąęėūý]", re.IGNORECASE)
_UNDEFINED = frozenset({"Cc", "Cn", "Co", "Cs"})


def lacks_text(page: Any, has_lines: bool) -> str:
    """Return why the text of a page of pypdfium2 is not usable, empty where it is.

    Args:
        page: The page.
        has_lines: Whether it has lines of text.
    """
    if not has_lines:
        return NO_TEXT
    with closing(page.get_textpage()) as text_page:
        text = text_page.get_text_range(0, min(_CHARACTERS, text_page.count_chars()))
    if is_broken(text):
        return BROKEN
    letters = sum(not character.isspace() for character in text)
    return NO_TEXT if letters < _FEW and _largest_picture(page) >= _COVERS else ""


def is_broken(text: str) -> bool:
    """Return whether a text is no writing: signs of no script, or words that nobody could speak.

    Fonts that do not tell which letter a shape stands for give such texts.
    """
    seen = [character for character in text if not character.isspace()]
    wrong = sum(one == "\ufffd" or unicodedata.category(one) in _UNDEFINED for one in seen)
    if seen and wrong > _MOST_BROKEN * len(seen):
        return True
    words = [word for word in _LONGER_WORD.findall(text) if _is_latin(word) and not word.isupper()]
    mute = sum(_VOWEL.search(word) is None for word in words)
    return len(words) >= _LEAST_WORDS and mute > _MOST_WITHOUT_VOWEL * len(words)


def _is_latin(word: str) -> bool:
    return all(unicodedata.name(letter, "").startswith("LATIN") for letter in word)


def _largest_picture(page: Any) -> float:
    """Return the share of a page that its largest picture covers."""
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    width, height = page.get_size()
    largest = 0.0
    for item in page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE], max_depth=3):
        left, bottom, right, top = item.get_bounds()
        largest = max(largest, (right - left) * (top - bottom))
    return float(largest / max(1.0, width * height))
