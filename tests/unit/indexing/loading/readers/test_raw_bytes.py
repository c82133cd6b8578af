from __future__ import annotations

import pytest

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.raw_bytes import decoded

GERMAN = "Die Prüfung der Anlage führt Jörg Großmann durch. Übergeben wird sie im März.\n"
RUSSIAN = "Договор был подписан директором завода в Москве и вступил в силу в январе.\n" * 4
JAPANESE = "契約書は社長によって署名され、一月に発効しました。工場は東京にあります。\n" * 4


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_is_read_with_and_without_a_mark(encoding: str) -> None:
    assert decoded(GERMAN.encode(encoding)) == GERMAN


@pytest.mark.parametrize("encoding", ["utf-32", "latin-1", "cp1252"])
def test_western_text_is_read(encoding: str) -> None:
    assert decoded(GERMAN.encode(encoding)) == GERMAN


def test_one_foreign_letter_is_enough() -> None:
    assert decoded("café".encode("latin-1")) == "café"


def test_other_scripts_are_recognised() -> None:
    assert decoded(RUSSIAN.encode("cp1251")) == RUSSIAN
    assert decoded(JAPANESE.encode("cp932")) == JAPANESE


def test_a_few_broken_bytes_do_not_make_utf8_another_encoding() -> None:
    data = (GERMAN * 50).encode()
    assert decoded(data[:2000] + b"\xff" + data[2000:]).count("\ufffd") == 1


def test_ends_of_lines_are_one_character() -> None:
    assert decoded(b"one\r\ntwo\rthree\n") == "one\ntwo\nthree\n"


@pytest.mark.parametrize("data", [b"\0\1\2" * 99, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"a\0\0\0" * 9])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        decoded(data)


def test_a_mark_that_lies_is_named() -> None:
    with pytest.raises(InputError, match="broken text"):
        decoded(b"\xff\xfe" + b"\x00\xd8" * 9)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("windows-1255", "המוזיאון נוסד בשנת 1931 על ידי אידה הולם והוא פתוח כל יום"),
        ("koi8-r", "Музей был основан в 1931 году и открыт каждый день кроме понедельника"),
        ("gb18030", "博物馆成立于一九三一年，每天开放，星期一除外。博物馆位于河边。"),
        ("shift_jis", "博物館は一九三一年に設立されました。月曜日を除いて毎日開館しています。"),
        ("utf-8", "Завод Kestrow 清河 was built in 1931 — صُنع في Wick."),
    ],
)
def test_scripts_of_every_direction_keep_their_order(encoding: str, text: str) -> None:
    assert decoded(text.encode(encoding)) == text
