from __future__ import annotations

from datetime import date

import pytest

from hoptrail.agents.language.mail_text import (
    day_told,
    has_quotation,
    is_quoted,
    is_writer,
    is_written_on,
    named_day,
    without_moment,
)
from hoptrail.core.conversation import messages

(MESSAGE,) = messages("2026-05-04 16:00, Monday\nAnn Thale: I am late.")


@pytest.mark.parametrize("name", ["Ann Thale", "Ann", "AnnThale"])
def test_the_writer_is_known_by_parts_of_the_name(name: str) -> None:
    assert is_writer(name, MESSAGE)


def test_another_name_is_not_the_writer_s() -> None:
    assert not is_writer("Thale Ferry", MESSAGE)


@pytest.mark.parametrize(
    "text",
    ["2026-05-04", "20260504", "4 May 2026", "May 4th", "2026-05-04 16:00", "4 May 2026 at 16:00"],
)
def test_the_day_of_a_message_is_known_in_many_spellings(text: str) -> None:
    assert is_written_on(text, MESSAGE)


@pytest.mark.parametrize("text", ["2026-05-05", "4 May 2025", "2026-05-04 17:00", "May", "late"])
def test_another_day_or_time_is_not_the_message_s(text: str) -> None:
    assert not is_written_on(text, MESSAGE)


def test_a_text_loses_the_day_of_the_message_and_no_other_day() -> None:
    assert without_moment("asked on 4 May 2026 whether", MESSAGE) == "asked on   whether"
    assert without_moment("asked on 5 May 2026 whether", MESSAGE) is None


def test_yesterday_tells_the_day_before_the_message() -> None:
    told = day_told("3 May 2026", "It came yesterday.", MESSAGE)
    assert told is not None
    assert (told.start, told.end) == (8, 17)
    assert day_told("2026-05-04", "It came yesterday.", MESSAGE) is None


def test_a_weekday_alone_tells_no_day_for_sure() -> None:
    assert day_told("2026-05-08", "It came on Friday.", MESSAGE) is None


@pytest.mark.parametrize("text", ["2026-05-06", "Wednesday, 6 May 2026", "this Wednesday, May 6th"])
def test_this_weekday_tells_the_day_that_is_to_come(text: str) -> None:
    told = day_told(text, "Work starts this Wednesday.", MESSAGE)
    assert told is not None
    assert (told.start, told.end) == (12, 26)
    assert day_told("2026-05-13", "Work starts this Wednesday.", MESSAGE) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("See you the day after tomorrow", 15),
        ("We met last night", 12),
        ("last Friday", 8),
        ("last Wednesday", 6),
        ("on Friday", 15),
        ("this Wednesday", 13),
        ("next Friday", 22),
        ("next Monday", 18),
        ("by Tuesday", 19),
    ],
)
def test_words_count_from_the_day_of_writing(text: str, day: int) -> None:
    named = named_day(date(2026, 5, 13), text)
    assert named is not None
    assert named.day == date(2026, 5, day)


@pytest.mark.parametrize(("text", "is_sure"), [("yesterday", True), ("on Friday", False)])
def test_a_weekday_alone_may_be_past_or_to_come(text: str, is_sure: bool) -> None:
    named = named_day(date(2026, 5, 13), text)
    assert named is not None
    assert named.is_sure is is_sure


SIGNS = "Fine with us.\n> They come on 28 September.\nBest, Ann"
BELOW = "Fine with us.\n\n-----Original Message-----\nFrom: Ann\n\nThey come on 28 September."
WROTE = "Fine with us.\n\nOn 3 May 2025, Ann Holt wrote:\nThey come on 28 September."


@pytest.mark.parametrize("text", [SIGNS, BELOW, WROTE])
def test_what_the_mail_answers_is_quoted_and_the_reply_is_not(text: str) -> None:
    assert has_quotation(text)
    assert is_quoted(text, text.index("They come"))
    assert not is_quoted(text, text.index("Fine"))


def test_lines_behind_quoted_ones_are_the_reply_again() -> None:
    assert not is_quoted(SIGNS, SIGNS.index("Best"))


def test_an_ordinary_text_quotes_no_mail() -> None:
    assert not has_quotation("On 3 May she wrote: come soon.\n2 > 1 holds.")
