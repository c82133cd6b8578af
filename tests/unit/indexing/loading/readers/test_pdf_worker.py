"""Whether the text of a PDF page is the text that it shows."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image

from benchmarks.everyday.placed_pdf import column, placed_pdf
from hoptrail.indexing.loading.readers.pdf_worker import BROKEN, NO_TEXT, is_broken, lacks_text

SENTENCE = "The mill at the brook grinds rye for the whole town since it was built of oak. "


def shifted(text: str) -> str:
    """Return a text as a font gives it whose letters are numbered in another order."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return text.lower().translate(str.maketrans(letters, "xtzkqwrnpbvcdfghjlmsxtzkqw"))


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE * 3,
        "Młyn nad potokiem miele żyto dla całego miasta, odkąd zbudowano go z dębu. " * 3,
        "Мельница у ручья мелет рожь для всего города с тех пор, как её построили. " * 3,
        "这座磨坊自建成以来一直为全镇磨黑麦。" * 5,
        "مطحنة على الجدول تطحن الجاودار للمدينة كلها. " * 5,
        "HTML CSS XML PDF RTF DXF " * 5,
        "12 4711 0815 3.50 " * 10,
        "",
    ],
)
def test_writing_of_any_script_is_text(text: str) -> None:
    assert not is_broken(text)


@pytest.mark.parametrize(
    "text", ["\ufffd\ufffd a \ufffd b", "\ue001\ue002\ue003 of \ue004", shifted(SENTENCE * 4)]
)
def test_signs_of_no_script_and_words_without_vowels_are_none(text: str) -> None:
    assert is_broken(text)


def reason(path: Path, *, has_lines: bool = True) -> str:
    from pypdfium2 import PdfDocument

    with closing(PdfDocument(path)) as document, closing(document[0]) as page:
        return lacks_text(page, has_lines)


def test_a_page_of_text_is_usable(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(placed_pdf([column("The lift.", left=60, top=700)]))
    assert reason(path) == ""


def test_a_page_that_is_a_picture_holds_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    Image.new("RGB", (400, 500), "white").save(path)
    assert reason(path, has_lines=False) == NO_TEXT
    assert reason(path) == NO_TEXT  # a stamp upon it does not make it text


def test_a_page_whose_text_is_no_writing_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    lines = "\n".join([shifted(SENTENCE)] * 4)
    path.write_bytes(placed_pdf([column(lines, left=60, top=700)]))
    assert reason(path) == BROKEN
