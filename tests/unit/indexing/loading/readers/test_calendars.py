"""Calendars as mail and calendar programs export them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.content import Content
from hoptrail.indexing.loading.readers.registry import read_file


def read_events(folder: Path, *events: str, head: str = "", end: str = "") -> Content:
    """Return what is read of a calendar with these events, each the lines between its ends."""
    told = "".join(f"BEGIN:VEVENT\n{event}\nEND:VEVENT\n" for event in events)
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\n{head}{told}{end}END:VCALENDAR\n"
    path = folder / "rowing-club.ics"
    path.write_text(text.replace("\n", "\r\n"), encoding="utf-8")
    return read_file(path)


def text_of(content: Content) -> str:
    return content.joined()[0]


def test_an_event_is_a_row_of_date_time_place_and_people(tmp_path: Path) -> None:
    event = (
        "SUMMARY:Board meeting\nDTSTART;TZID=Europe/London:20261126T140000\n"
        "DTEND;TZID=Europe/London:20261126T160000\nLOCATION:Town Hall\\, Room 3\n"
        "ORGANIZER;CN=Ann Holt:mailto:ann@example.org\nATTENDEE;CN=Bo Reed:mailto:bo@example.org\n"
        "ATTENDEE:mailto:cy@example.org"
    )
    assert text_of(read_events(tmp_path, event)) == (
        "Event: Board meeting; Date: Thursday, 26 November 2026; Time: 14:00 to 16:00; "
        "Location: Town Hall, Room 3; Organiser: Ann Holt; Attendees: Bo Reed, cy@example.org"
    )


def test_each_paragraph_of_a_description_names_its_event(tmp_path: Path) -> None:
    event = "SUMMARY:Gala\nDTSTART;VALUE=DATE:20261126\nDESCRIPTION:Bring\\na coat.\\n\\nNo dogs."
    assert text_of(read_events(tmp_path, event)).split("\n\n")[1:] == [
        "Gala: Bring a coat.",
        "Gala: No dogs.",
    ]


def test_a_description_in_html_is_read_without_its_tags(tmp_path: Path) -> None:
    event = "SUMMARY:Gala\nDTSTART;VALUE=DATE:20261126\nDESCRIPTION:<p>We read <b>Emma</b>.</p>"
    assert text_of(read_events(tmp_path, event)).endswith("Gala: We read Emma.")


def test_a_day_without_a_time_that_ends_an_event_is_no_day_of_it(tmp_path: Path) -> None:
    one_day = "SUMMARY:Fair\nDTSTART;VALUE=DATE:20260905\nDTEND;VALUE=DATE:20260906"
    days = "SUMMARY:Holiday\nDTSTART;VALUE=DATE:20270705\nDTEND;VALUE=DATE:20270717"
    assert text_of(read_events(tmp_path, one_day, days)).split("\n\n") == [
        "Event: Fair; Date: Saturday, 5 September 2026",
        "Event: Holiday; Start: Monday, 5 July 2027; End: Friday, 16 July 2027",
    ]


def test_a_duration_tells_the_end_too(tmp_path: Path) -> None:
    event = "SUMMARY:Practice\nDTSTART:20260707T180000\nDURATION:PT90M"
    assert "Time: 18:00 to 19:30" in text_of(read_events(tmp_path, event))


def test_moments_in_utc_are_told_by_the_clock_of_the_calendar(tmp_path: Path) -> None:
    event = "SUMMARY:Practice\nDTSTART:20260707T180000Z"
    told = text_of(read_events(tmp_path, event, head="X-WR-TIMEZONE:Europe/London\n"))
    assert told.endswith("Time: 19:00")
    assert text_of(read_events(tmp_path, event)).endswith("Time: 18:00 UTC")


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("FREQ=DAILY", "every day from 7 July 2026"),
        ("FREQ=WEEKLY", "every Tuesday from 7 July 2026"),
        ("FREQ=WEEKLY;BYDAY=TU,TH;COUNT=6", "every Tuesday and Thursday from 7 July 2026, 6 times"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "every 2 weeks on Tuesday from 7 July 2026"),
        (
            "FREQ=WEEKLY;UNTIL=20270629T220000Z",
            "every Tuesday from 7 July 2026 until Tuesday, 29 June 2027",
        ),
        ("FREQ=MONTHLY;BYDAY=1TU", "every month on the first Tuesday from 7 July 2026"),
        ("FREQ=MONTHLY;BYDAY=-1TU", "every month on the last Tuesday from 7 July 2026"),
        ("FREQ=MONTHLY", "every month on day 7 from 7 July 2026"),
        ("FREQ=YEARLY", "every year on 7 July from 7 July 2026"),
        (
            "FREQ=YEARLY;BYDAY=1TU;BYMONTH=7",
            "every year on the first Tuesday of July from 7 July 2026",
        ),
        ("FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1", "repeatedly from 7 July 2026"),
    ],
)
def test_how_often_an_event_comes_back_is_told_in_words(
    rule: str, told: str, tmp_path: Path
) -> None:
    event = f"SUMMARY:Practice\nDTSTART:20260707T190000\nRRULE:{rule}"
    assert text_of(read_events(tmp_path, event)) == f"Event: Practice; Date: {told}; Time: 19:00"


def test_days_on_which_an_event_does_not_come_back_are_told(tmp_path: Path) -> None:
    event = (
        "SUMMARY:Practice\nDTSTART:20260707T190000\nRRULE:FREQ=WEEKLY\n"
        "EXDATE:20261222T190000,20261229T190000"
    )
    told = "Practice: not on Tuesday, 22 December 2026 and Tuesday, 29 December 2026"
    assert told in text_of(read_events(tmp_path, event))


def test_an_event_that_was_moved_tells_instead_of_which_day(tmp_path: Path) -> None:
    event = "SUMMARY:Practice\nDTSTART:20261202T190000\nRECURRENCE-ID:20261201T190000"
    assert text_of(read_events(tmp_path, event)) == (
        "Practice: Wednesday, 2 December 2026, 19:00, instead of Tuesday, 1 December 2026"
    )


def test_date_and_place_of_a_cancelled_event_are_told_to_be(tmp_path: Path) -> None:
    event = (
        "SUMMARY:Harvest fair\nDTSTART;VALUE=DATE:20270916\nSTATUS:CANCELLED\nLOCATION:The Green"
    )
    assert text_of(read_events(tmp_path, event)) == (
        "Event: Harvest fair; Status: cancelled; Cancelled date: Thursday, 16 September 2027; "
        "Cancelled location: The Green"
    )


def test_a_calendar_is_called_by_its_name_its_only_event_or_its_file(tmp_path: Path) -> None:
    event = "SUMMARY:Gala\nDTSTART;VALUE=DATE:20261126"
    assert read_events(tmp_path, event, head="X-WR-CALNAME:Regattas\n").title == "Regattas"
    assert read_events(tmp_path, event).title == "Gala"
    assert read_events(tmp_path, event, event).title == "rowing club"


def test_tasks_are_named_among_what_was_left_out(tmp_path: Path) -> None:
    event = "SUMMARY:Gala\nDTSTART;VALUE=DATE:20261126"
    task = "BEGIN:VTODO\nSUMMARY:Buy paint\nEND:VTODO\n"
    read = read_events(tmp_path, event, end=task)
    assert read.left_out == (("tasks", "1 of them: only events are read"),)


def test_each_event_has_its_day_as_place(tmp_path: Path) -> None:
    event = "SUMMARY:Gala\nDTSTART;VALUE=DATE:20261126"
    assert read_events(tmp_path, event).joined()[1] == ((0, "event of 2026-11-26"),)


def test_what_is_no_calendar_says_so(tmp_path: Path) -> None:
    path = tmp_path / "club.ics"
    path.write_text("Dear all, the gala is on Friday.")
    with pytest.raises(InputError, match="not a readable calendar"):
        read_file(path)


def test_without_the_library_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "icalendar", None)
    with pytest.raises(InputError, match=r"hoptrail\[documents\]"):
        read_events(tmp_path, "SUMMARY:Gala\nDTSTART;VALUE=DATE:20261126")
