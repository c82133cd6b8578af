from __future__ import annotations

import json
from datetime import date
from io import BytesIO
from pathlib import Path

import pytest

from hoptrail.core.conversation import is_conversation, messages
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Document
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.loading.conversations import Moment, Posting, lay_out, read_chat, title_of
from hoptrail.indexing.loading.documents import load_documents

NOON = Moment(date(2026, 5, 4), "12:00")


def test_a_common_moment_stands_once_above_the_messages() -> None:
    text = lay_out([Posting("Ann", NOON, "one"), Posting("Bo", NOON, "two")])
    assert text == "2026-05-04 12:00, Monday\nAnn: one\nBo: two"


def test_messages_of_a_day_keep_their_own_time() -> None:
    later = Moment(NOON.day, "12:05")
    text = lay_out([Posting("Ann", NOON, "one"), Posting("Bo", later, "two\nthree")])
    assert text == "2026-05-04, Monday\n12:00 Ann: one\n12:05 Bo: two three"


def test_what_an_event_says_before_a_colon_is_no_speaker() -> None:
    text = lay_out([Posting("", NOON, "Ann set the topic to: boats")])
    assert [one.speaker for one in messages(text)] == [""]


def test_a_name_run_together_is_parted_and_a_scottish_one_is_not() -> None:
    text = lay_out([Posting("AnnThale", NOON, "one"), Posting("McDonald", NOON, "two")])
    assert [one.speaker for one in messages(text)] == ["Ann Thale", "McDonald"]


def test_every_passage_of_a_long_conversation_begins_with_the_moment_and_a_speaker() -> None:
    said = "The harbour was full of boats that day, and nobody knew where they came from. " * 3
    long = [Posting("Ann", NOON, said), Posting("Bo", NOON, said * 5)] * 6
    text = lay_out(long)
    chunks = chunk_document(Document("d", "", text))
    assert len(chunks) > 5
    assert all(is_conversation(chunk.text) for chunk in chunks)
    assert all(one.speaker for chunk in chunks for one in messages(chunk.text))
    assert all(estimate_tokens(chunk.text) <= 330 for chunk in chunks)


def test_the_title_tells_who_spoke_and_when() -> None:
    later = Moment(date(2026, 5, 6))
    names = ["Ann", "Bo", "Cy", "Di", "Eve", "Finn"]
    assert title_of([Posting(name, NOON, "x") for name in names[:2]]) == "Ann and Bo, 2026-05-04"
    assert title_of(
        [*(Posting(name, NOON, "x") for name in names), Posting("Ann", later, "y")]
    ) == ("Ann, Bo, Cy, Di and 2 more, 2026-05-04 to 2026-05-06")


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


CHAT = "12/31/20, 9:41 PM - Ann Thale: Happy new year\n1/1/21, 12:03 AM - Bo: Thanks!\n"
FORM = (
    "2020-12-31 21:41, Thursday\nAnn Thale: Happy new year\n\n2021-01-01 00:03, Friday\nBo: Thanks!"
)
TITLE = "Ann Thale and Bo, 2020-12-31 to 2021-01-01"


def loaded(*inputs: str | Path, stdin: bytes = b"") -> tuple[str, str]:
    (document,) = load_documents(inputs, stdin=BytesIO(stdin))
    assert isinstance(document, Document)
    return document.title, document.text


def test_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat with Ann.txt"
    path.write_text(CHAT, encoding="utf-8")
    assert loaded(path) == (TITLE, FORM)


def test_standard_input() -> None:
    assert loaded("-", stdin=CHAT.encode()) == (TITLE, FORM)


def test_a_row_of_a_corpus_keeps_a_title_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps({"id": "1", "title": "New year", "text": CHAT}), encoding="utf-8")
    assert loaded(path) == ("New year", FORM)


def test_an_export_in_json(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    told = [
        ("2020-12-31T21:41:00", "Ann Thale", "Happy new year"),
        ("2021-01-01T00:03:00", "Bo", "Thanks!"),
    ]
    lines = [{"date": date, "from": name, "text": text} for date, name, text in told]
    path.write_text(json.dumps({"name": "Friends", "messages": lines}), encoding="utf-8")
    assert loaded(path) == (f"Friends, {TITLE}", FORM)
