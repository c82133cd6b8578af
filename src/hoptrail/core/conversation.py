"""The form in which conversations are stored: when, who, what.

A line such as "2026-05-04 16:00, Monday" stands above the messages of that moment; a message is one
line, "Ann Thale: I am late.", with its own time before it where only the day is common to them
("16:02 Ann Thale: I am late."). Every passage of a conversation begins with such a stamp.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_STAMP = re.compile(
    rf"^(?P<day>\d{{4}}-\d\d-\d\d)(?: (?P<time>\d\d:\d\d))?, (?:{'|'.join(_WEEKDAYS)})$",
    re.MULTILINE,
)
_MESSAGE = re.compile(
    r"^(?:(?P<time>\d\d:\d\d) )?(?:(?P<speaker>[^\s:][^\n:]{0,60}): )?(?P<text>\S.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Message:
    """A message in a text: who wrote it ("" for an event), when, and where it stands.

    `start` and `end` are the characters of its line, `said` those of what was said. `at` is its
    moment; `has_time` is whether more than the day is known.
    """

    speaker: str
    at: datetime
    has_time: bool
    start: int
    said: int
    end: int

    @property
    def opens(self) -> int:
        """Where its line begins behind the time: with the speaker's name, else with the text."""
        return self.said - len(f"{self.speaker}: ") if self.speaker else self.said

    @property
    def moment(self) -> str:
        """The moment in words, such as "2026-05-04 16:00"."""
        return f"{self.at:%Y-%m-%d %H:%M}" if self.has_time else f"{self.at:%Y-%m-%d}"


def stamp_line(day: date, time: str = "") -> str:
    """Return the line above messages of a day, or of a moment where `time` is given as HH:MM."""
    moment = f"{day:%Y-%m-%d} {time}" if time else f"{day:%Y-%m-%d}"
    return f"{moment}, {_WEEKDAYS[day.weekday()]}"


def is_conversation(text: str) -> bool:
    """Return whether a text, or a passage of one, is in the form of conversations."""
    return _STAMP.match(text.lstrip()) is not None


def is_stamp(line: str) -> bool:
    """Return whether a line tells when the messages below it were written."""
    return _STAMP.fullmatch(line.strip()) is not None


def section_spans(text: str) -> list[tuple[int, int]]:
    """Return where each section of a conversation stands: a stamp with the messages below it."""
    starts = [match.start() for match in _STAMP.finditer(text)]
    ends = [*starts[1:], len(text)]
    return [(a, a + len(text[a:b].rstrip())) for a, b in zip(starts, ends, strict=True)]


def messages(text: str) -> Iterator[Message]:
    """Yield the messages of a conversation, or of a passage of one, in order."""
    stamps = list(_STAMP.finditer(text))
    starts = [stamp.start() for stamp in stamps]
    for match in _MESSAGE.finditer(text):
        place = bisect_right(starts, match.start()) - 1
        if place < 0 or match.start() == starts[place]:
            continue
        stamp = stamps[place]
        time = match["time"] or stamp["time"]
        at = datetime.fromisoformat(f"{stamp['day']} {time or '00:00'}")
        speaker = match["speaker"] or ""
        yield Message(speaker, at, bool(time), match.start(), match.start("text"), match.end())


def message_at(text: str, offset: int) -> Message | None:
    """Return the message of a conversation in which a character stands, None for any other text."""
    if not is_conversation(text):
        return None
    return next((one for one in messages(text) if one.start <= offset < one.end), None)
