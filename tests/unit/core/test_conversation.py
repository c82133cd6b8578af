from __future__ import annotations

from datetime import date

from hoptrail.core.conversation import (
    is_conversation,
    message_at,
    messages,
    section_spans,
    stamp_line,
)

TEXT = """2026-05-04, Monday
16:00 Ann Thale: I am late: the bus broke down.
16:02 Bo: Shall we wait?
Ann Thale left the group

2026-05-05 09:00, Tuesday
Bo: Good morning"""


def test_a_message_knows_who_wrote_it_and_when() -> None:
    told = [(one.moment, one.speaker, TEXT[one.said : one.end]) for one in messages(TEXT)]
    assert told == [
        ("2026-05-04 16:00", "Ann Thale", "I am late: the bus broke down."),
        ("2026-05-04 16:02", "Bo", "Shall we wait?"),
        ("2026-05-04", "", "Ann Thale left the group"),
        ("2026-05-05 09:00", "Bo", "Good morning"),
    ]


def test_every_section_begins_with_its_stamp() -> None:
    sections = [TEXT[start:end] for start, end in section_spans(TEXT)]
    assert [one.splitlines()[0] for one in sections] == [
        stamp_line(date(2026, 5, 4)),
        stamp_line(date(2026, 5, 5), "09:00"),
    ]
    assert all(map(is_conversation, sections))


def test_the_message_of_a_place_is_found() -> None:
    found = message_at(TEXT, TEXT.index("wait"))
    assert found is not None
    assert found.speaker == "Bo"
    assert message_at("Bo: Good morning", 5) is None
