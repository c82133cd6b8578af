from __future__ import annotations

import pytest

from hoptrail.indexing.loading.conversations.chat_lines import read_chat
from hoptrail.indexing.loading.conversations.layout import lay_out

ANDROID = """12/31/20, 9:41 PM - Messages are end-to-end encrypted.
12/31/20, 9:41 PM - Ann Thale: Happy new year
to all of you
1/1/21, 12:03 AM - Bo: Thanks! See: http://example.org"""
IPHONE = "[31.12.20, 21:41:05] Ann Thale: Hello\n\u200e[01.01.21, 09:00:00] ~\u202fBo: Hi"
PLAIN = "[2026-05-04 16:00] Ann: one\n[2026-05-04 16:02] Bo: two\n[2026-05-05 08:00] Ann: three"
IRC = "2026-05-04T16:00:00Z <ann> one\n2026-05-04T16:00:10Z <@bo> two"
DATED = "Time: 20260615_09:00\nAnnThale: Hey Bo!\nBoLund: Sure, see you tomorrow."
MINUTES = """Minutes of the board
Date: 4 May 2026
Present: Ann, Bo
Ann: We buy the boat.
Bo: I object.
Ann: Noted."""


def read(text: str, name: str = "") -> list[tuple[str, str, str]]:
    return [
        (f"{one.moment.day} {one.moment.time}".strip(), one.speaker, one.text)
        for one in read_chat(text, name)
    ]


def test_an_export_of_whatsapp_keeps_lines_that_go_on_and_events() -> None:
    assert read(ANDROID) == [
        ("2020-12-31 21:41", "", "Messages are end-to-end encrypted."),
        ("2020-12-31 21:41", "Ann Thale", "Happy new year to all of you"),
        ("2021-01-01 00:03", "Bo", "Thanks! See: http://example.org"),
    ]


def test_a_number_above_twelve_tells_that_the_day_comes_first() -> None:
    assert read(IPHONE) == [
        ("2020-12-31 21:41", "Ann Thale", "Hello"),
        ("2021-01-01 09:00", "Bo", "Hi"),
    ]


@pytest.mark.parametrize("text", [PLAIN, IRC])
def test_logs_name_the_moment_and_who_speaks(text: str) -> None:
    first, second, *_ = read(text)
    assert (first[0], first[1].lower(), first[2]) == ("2026-05-04 16:00", "ann", "one")
    assert (second[1].lower(), second[2]) == ("bo", "two")


def test_times_alone_are_of_the_day_in_the_name_of_the_file() -> None:
    text = "[16:00] <ann> one\n[16:02] <bo> two"
    assert read(text, "harbour-2026-05-04")[0] == ("2026-05-04 16:00", "ann", "one")
    assert read(text, "harbour") == []


def test_a_line_with_the_time_dates_all_that_is_said_below_it() -> None:
    assert read(DATED) == [
        ("2026-06-15 09:00", "AnnThale", "Hey Bo!"),
        ("2026-06-15 09:00", "BoLund", "Sure, see you tomorrow."),
    ]
    assert lay_out(read_chat(DATED)).splitlines()[1] == "Ann Thale: Hey Bo!"


def test_minutes_are_a_conversation_and_their_labels_no_speakers() -> None:
    speakers = [speaker for _, speaker, _ in read(MINUTES)]
    assert speakers == ["", "", "Ann", "Bo", "Ann"]


@pytest.mark.parametrize(
    "text",
    [
        "Name: Ann\nDate: 4 May 2026\nPhone: 12",
        "2024-01-01 10:00:00 INFO: starting\n2024-01-01 10:00:02 ERROR: failed",
        "2024-01-01 The harbour opened.\n2024-02-01 The yard closed.",
        "1. Mix flour and water: gently.\n2. Bake.",
        "In 1921 Ann said: it is late.",
        "",
    ],
)
def test_other_texts_are_no_conversations(text: str) -> None:
    assert read_chat(text) == []
