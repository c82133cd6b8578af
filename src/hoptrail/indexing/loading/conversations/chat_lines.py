"""Conversations in plain text: exports of chats, logs, and minutes of who said what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hoptrail.indexing.loading.conversations.layout import Posting
from hoptrail.indexing.loading.conversations.moments import (
    MOMENTS,
    TIME,
    Moment,
    has_month_first,
    read_moment,
    read_time,
)

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
        month_first = has_month_first(days)
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
    return found, [match and Moment(day.day, read_time(match)) for match in found]


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
