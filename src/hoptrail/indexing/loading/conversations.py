"""Conversations in plain text, such as chats, logs and minutes, and the form that all get."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Any

from hoptrail.core.conversation import stamp_line
from hoptrail.core.names import parted
from hoptrail.core.tokens import estimate_tokens
from hoptrail.indexing.loading.chunking import chunk_spans

_MONTHS = [*map(str, "jan feb mar apr may jun jul aug sep oct nov dec".split())]
_MONTH = r"(?P<month>(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6})\.?"
_TIME = (
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d\d)(?:[:.]\d\d(?:[.,]\d{1,6})?)?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?(?:\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
)
_BETWEEN = r"(?:,?\s{1,2}(?:at\s)?|T|_|\s[-–]\s)"
_DAYS = (
    r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})",
    r"(?P<y>20\d\d|19\d\d)(?P<m>\d\d)(?P<d>\d\d)",
    r"(?P<first>\d{1,2})[-/.](?P<second>\d{1,2})[-/.](?P<y>\d{4}|\d\d)",
    rf"(?:[A-Z][a-z]{{2,8}},?\s)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s{_MONTH}\s(?P<y>\d{{4}})",
    rf"(?:[A-Z][a-z]{{2,8}},?\s)?{_MONTH}\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y>\d{{4}})",
)
MOMENTS = tuple(re.compile(rf"{day}(?:{_BETWEEN}{_TIME})?(?![\d:])") for day in _DAYS)
"""The ways to write a day, with or without a time."""

TIME = re.compile(_TIME)
"""A time of day alone."""

_LEAST_MILLISECONDS = 10**11
SECTION_TOKENS = 220
"""Most tokens below one stamp, but for a single message that is longer."""
_MOST_NAMED = 4
_INVISIBLE = dict.fromkeys((0x200E, 0x200F, 0xFEFF), None) | {0x202F: " ", 0xA0: " "}
_OPENING = re.compile(r"[\[(]?\s?")
_CLOSING = re.compile(r"\s?[\])]?\s?[-–—:]?\s*")
_NICK = re.compile(r"<[@+ ]?(?P<speaker>[^<>\n]{1,60})>\s+(?P<text>\S.*)")
_NAME = re.compile(r"(?P<speaker>[^\s:\[\]<>{}=\"][^:\n\[\]<>{}=\"]{0,60}):\s+(?P<text>\S.*)")
_DATED_HEADING = re.compile(r"(?:time|date|when|datum)\s*:\s*", re.IGNORECASE)
_LONGEST_NAME = 5  # words
_LOG_LEVELS = re.compile(r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b")
_LABELS = frozenset(
    """present attendees participants apologies absent chair minutes agenda subject topic location
    place action actions decisions notes next from to cc date time""".split()
)
_STAMPED_SHARE = 0.5
_SPOKEN_SHARE = 0.7
_FEWEST = 2
_HEADING_LINES = 8


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, and the time of it where that is known, as HH:MM."""

    day: date
    time: str = ""


def read_moment(match: re.Match[str], *, month_first: bool = False) -> Moment | None:
    """Return the moment that one of `MOMENTS` has found, None where there is no such day."""
    found = match.groupdict()
    year, month, day = found["y"], found.get("m") or found.get("month"), found.get("d")
    if found.get("first"):
        first, second = found["first"], found["second"]
        month, day = (first, second) if month_first else (second, first)
    if month and not month.isdigit():
        month = str(_MONTHS.index(month[:3].lower()) + 1)
    full_year = int(year) if len(year) == 4 else 2000 + int(year)
    try:
        return Moment(date(full_year, int(month or 0), int(day or 0)), _clock(found))
    except ValueError:
        return None


def _read_time(match: re.Match[str]) -> str:
    """Return the time that `TIME` has found as HH:MM, "" where there is no such time."""
    return _clock(match.groupdict())


def _has_month_first(written: Iterable[re.Match[str]]) -> bool:
    """Return whether the days of a log, such as 5/4/26, name the month first.

    A number above 12 decides; else the clock of twelve hours does, and a full stop speaks against.
    """
    days = [one for one in written if one.groupdict().get("first")]
    if any(int(one["first"]) > 12 for one in days):
        return False
    if any(int(one["second"]) > 12 for one in days):
        return True
    return any(one["half"] and "/" in one.group() for one in days)


def moment_of_value(value: Any) -> Moment | None:
    """Return the moment of a field of an export: ISO 8601, or seconds or milliseconds since 1970.

    Numbers are read as universal time; a text keeps its own.
    """
    if isinstance(value, bool):
        return None
    text = str(value).strip()
    try:
        number = float(text)
    except ValueError:
        found = (pattern.match(text) for pattern in MOMENTS)
        return next((read_moment(match) for match in found if match), None)
    try:
        at = datetime.fromtimestamp(number / (1000 if number > _LEAST_MILLISECONDS else 1), UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return Moment(at.date(), f"{at:%H:%M}")


def _clock(found: dict[str, str | Any]) -> str:
    if not found.get("hour"):
        return ""
    hour, minute, half = int(found["hour"]), int(found["minute"]), (found["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else ""


@dataclass(frozen=True, slots=True)
class Posting:
    """A message as an export has it; `speaker` is "" for an event ("Ann left the group")."""

    speaker: str
    moment: Moment
    text: str


def lay_out(postings: Sequence[Posting]) -> str:
    """Return messages as the text of a conversation, in their order."""
    sections = (
        section
        for _, group in groupby(postings, key=lambda one: one.moment.day)
        for section in _sections(list(group))
    )
    return "\n\n".join(sections)


def title_of(postings: Sequence[Posting]) -> str:
    """Return who spoke and when, such as "Ann Thale and Bo Lund, 2026-05-04"."""
    speakers = list(dict.fromkeys(filter(None, map(_speaker, postings))))
    shown = speakers[:_MOST_NAMED]
    if more := len(speakers) - len(shown):
        shown.append(f"{more} more")
    who = " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))
    first, last = (f"{one.moment.day:%Y-%m-%d}" for one in (postings[0], postings[-1]))
    when = first if first == last else f"{first} to {last}"
    return ", ".join(filter(None, (who, when)))


def _sections(postings: Sequence[Posting]) -> Iterator[str]:
    """Yield the messages of a day below stamps, as many together as a section holds."""
    times = {one.moment.time for one in postings}
    common = times.pop() if len(times) == 1 else ""
    stamp = stamp_line(postings[0].moment.day, common)
    lines: list[str] = []
    used = 0
    for line in _lines(postings, with_times=not common):
        tokens = estimate_tokens(line)
        if lines and used + tokens > SECTION_TOKENS:
            yield "\n".join([stamp, *lines])
            lines, used = [], 0
        lines.append(line)
        used += tokens
    yield "\n".join([stamp, *lines])


def _lines(postings: Iterable[Posting], *, with_times: bool) -> Iterator[str]:
    """Yield a line for each message, several for one that is longer than a section."""
    for one in postings:
        time = f"{one.moment.time} " if with_times and one.moment.time else ""
        speaker, text = _speaker(one), " ".join(one.text.split())
        if not speaker:  # what stands before a colon would be taken for a speaker
            text = text.replace(": ", " - ")
        label = f"{speaker}: " if speaker else ""
        for start, end in chunk_spans(text, max_tokens=SECTION_TOKENS):
            yield f"{time}{label}{text[start:end]}"


def _speaker(posting: Posting) -> str:
    """Return who speaks; a handle that runs a name together is parted ("AnnThale")."""
    return parted(" ".join(posting.speaker.replace(":", " ").split()))


def read_chat(text: str, name: str = "") -> list[Posting]:
    """Return the messages of a text that is a conversation, none for any other text.

    It is one where at least half of its lines begin with a moment and most of these name who
    speaks, or where a line "Time: ..." or "Date: ..." stands above lines that do.

    Args:
        text: What may be a conversation.
        name: Of its file: where lines have a time alone, the day may stand there.
    """
    lines = [line.strip() for line in text.translate(_INVISIBLE).splitlines() if line.strip()]
    return _stamped(lines, name) or _below_heading(lines)


def _stamped(lines: Sequence[str], name: str) -> list[Posting]:
    """Return the messages of lines such as "[2026-05-04 16:00] Ann: Hello"."""
    found = [_moment_at(line) for line in lines]
    days = [match for match in found if match is not None]
    if days:
        month_first = _has_month_first(days)
        moments = [match and read_moment(match, month_first=month_first) for match in found]
    else:
        found, moments = _timed(lines, name)
    if sum(one is not None for one in moments) < max(_FEWEST, _STAMPED_SHARE * len(lines)):
        return []
    postings: list[Posting] = []
    for line, match, moment in zip(lines, found, moments, strict=True):
        if match is not None and moment is not None:
            rest = line[match.end() :]
            postings.append(_posting(rest[_end(_CLOSING, rest) :], moment))
        elif postings:
            told = f"{postings[-1].text} {line}"
            postings[-1] = replace(postings[-1], text=told)
    if any(_LOG_LEVELS.search(one.speaker) for one in postings):
        return []
    spoken = sum(bool(one.speaker) for one in postings)
    return postings if spoken >= max(1, _STAMPED_SHARE * len(postings)) else []


def _timed(
    lines: Sequence[str], name: str
) -> tuple[list[re.Match[str] | None], list[Moment | None]]:
    """Return the times that lines begin with, of the day that the file's name holds."""
    day = next(
        (m for p in MOMENTS if (match := p.search(name)) and (m := read_moment(match))), None
    )
    if day is None:
        return [None] * len(lines), [None] * len(lines)
    found = [TIME.match(line, _end(_OPENING, line)) for line in lines]
    return found, [match and Moment(day.day, _read_time(match)) for match in found]


def _below_heading(lines: Sequence[str]) -> list[Posting]:
    """Return the messages below a line "Time: 20260504_16:00", or "Date: 4 May 2026"."""
    for place, line in enumerate(lines[:_HEADING_LINES]):
        heading = _DATED_HEADING.match(line)
        match = heading and _moment_in(line, heading.end())
        moment = match and read_moment(match)
        if moment:
            postings = list(_spoken(lines[place + 1 :], moment))
            is_sure = bool(moment.time) or _is_talk(postings)
            named = sum(bool(one.speaker) for one in postings)
            if is_sure and named >= max(1, _SPOKEN_SHARE * len(postings)):
                above = [Posting("", moment, told) for told in lines[:place]]
                return [*above, *postings]
    return []


def _spoken(lines: Sequence[str], moment: Moment) -> Iterator[Posting]:
    """Yield lines as messages; one without a speaker goes on with what was said before."""
    last: Posting | None = None
    for line in lines:
        posting = _posting(line, moment)
        if not posting.speaker and last is not None and last.speaker:
            last = replace(last, text=f"{last.text} {line}")
            continue
        if last is not None:
            yield last
        last = posting
    if last is not None:
        yield last


def _is_talk(postings: Sequence[Posting]) -> bool:
    """Return whether somebody speaks twice: labels of a form stand once each."""
    speakers = [one.speaker for one in postings if one.speaker]
    return len(set(speakers)) > 1 and len(speakers) > len(set(speakers))


def _posting(rest: str, moment: Moment) -> Posting:
    match = _NICK.match(rest) or _NAME.match(rest)
    words = match["speaker"].split() if match else []
    is_label = bool(words) and words[0].lower() in _LABELS
    if match is None or is_label or len(words) > _LONGEST_NAME:
        return Posting("", moment, rest)
    return Posting(match["speaker"].strip(" *~"), moment, match["text"])


def _moment_at(line: str) -> re.Match[str] | None:
    return _moment_in(line, _end(_OPENING, line))


def _moment_in(line: str, start: int) -> re.Match[str] | None:
    return next((match for one in MOMENTS if (match := one.match(line, start))), None)


def _end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0
