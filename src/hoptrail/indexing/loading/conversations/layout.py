"""Lays messages out in the form of `hoptrail.core.conversation`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from hoptrail.core.conversation import stamp_line
from hoptrail.core.names import parted
from hoptrail.core.tokens import estimate_tokens
from hoptrail.indexing.loading.chunking import chunk_spans
from hoptrail.indexing.loading.conversations.moments import Moment

SECTION_TOKENS = 220
"""Most tokens below one stamp, but for a single message that is longer."""

_MOST_NAMED = 4


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
