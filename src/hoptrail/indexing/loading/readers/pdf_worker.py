"""Reads PDF files in a process of its own, and tells where a page's text is not what it shows."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from contextlib import closing
from typing import Any

from hoptrail.indexing.loading.readers.pdf_lines import page_lines
from hoptrail.indexing.loading.worker_process import bound_memory

MAX_PAGES = 5_000
MAX_CHARACTERS = 20_000_000
MAX_MEMORY = 2 * 1024**3
_NOT_FOR_ALL = "its owner lets only certain programs or people read it: save a copy without that"

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


def main() -> None:
    """Answer each path on standard input, as JSON, with what its file holds."""
    bound_memory(MAX_MEMORY)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_answer(json.loads(line))) + "\n")
        sys.stdout.flush()


def _answer(path: str) -> dict[str, Any]:
    """Return the lines of each page and what the file tells of itself, or else a `reason`."""
    from pypdfium2 import PdfDocument, PdfiumError
    from pypdfium2.raw import FORMTYPE_NONE, FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY

    protections = {
        FPDF_ERR_PASSWORD: "protected by a password: save a copy without it",
        FPDF_ERR_SECURITY: _NOT_FOR_ALL,
    }
    try:
        with closing(PdfDocument(path)) as document:
            if len(document) > MAX_PAGES:
                return {"reason": f"{len(document):,} pages, more than {MAX_PAGES:,}"}
            if document.get_formtype() != FORMTYPE_NONE:
                document.init_forms()
            told = document.get_metadata_dict()
            pages, unread = _pages(document)
            return {
                "title": told.get("Title", ""),
                "created": told.get("CreationDate", ""),
                "pages": pages,
                "unread": unread,
            }
    except PdfiumError as error:
        if error.err_code in protections:
            return {"reason": protections[error.err_code]}
        told = " ".join(str(error).split())[:200]
        return {"reason": f"not a readable PDF, a new copy of it may be: {told}"}
    except _TooLongError:
        return {"reason": f"more than {MAX_CHARACTERS:,} characters"}


class _TooLongError(Exception):
    pass


def _pages(document: Any) -> tuple[list[list[tuple[Any, ...]]], list[str]]:
    """Return the lines of each page, and why they are not the text that it shows."""
    pages, unread = [], []
    left = MAX_CHARACTERS
    for number in range(len(document)):
        with closing(document[number]) as page:
            pages.append([tuple(line) for line in page_lines(page)])
            unread.append(lacks_text(page, bool(pages[-1])))
        left -= sum(len(str(line[0])) for line in pages[-1])
        if left < 0:
            raise _TooLongError
    return pages, unread


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


if __name__ == "__main__":
    main()
