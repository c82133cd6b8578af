"""Tell on which day something is, was or was said, by the date of a message, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.message_head import SAYING
from hoptrail.agents.language.relative_day import named_day
from hoptrail.agents.language.reserves import ASKED, unstated
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.offline.message_search import Said, find_message, messages_of
from hoptrail.core.conversation import Message
from hoptrail.core.text import sentences
from hoptrail.core.types import Chunk
from hoptrail.core.types.draft import Draft

_WHEN = re.compile(
    r"^\W*(?:when|(?:on\s)?(?:what|which)\s(?:day|date))\b(?P<about>.{3,300}?)\W*$", re.I | re.S
)

_ORDER = re.compile(
    r"^\W*(?:question:\s*)?(?:did|was|were|had|has|does)\s+(?P<one>.{5,300}?)\s+"
    r"(?P<order>before|after)\s+(?P<other>.{5,300}?)\s*\?",
    re.IGNORECASE | re.DOTALL,
)
_INTERVAL = re.compile(
    r"\b(?:time|interval|days?|long)\b.{0,60}?\b(?:between|from)\s+(?P<one>.{5,300}?)\s+"
    r"(?:and|to(?=\s(?:the|when)\b))\s+(?P<other>.{5,300}?)\s*\?",
    re.IGNORECASE | re.DOTALL,
)
_BOUND = re.compile(
    r"\b(?P<more>more|less|fewer)\s+than\s+(?P<days>\d{1,4})\s+days?", re.IGNORECASE
)


def read_message_date(question: str, chunks: Iterable[Chunk]) -> Draft | None:
    """Return the day that a "when" question asks for, counted from the message that tells it.

    "The sail arrived yesterday" of 13 May tells 12 May, "this Wednesday" the next one. Who asks
    when something was said gets the day of the message. None for any other question, where no
    message fits, or where it names no day in relation to its own.

    Args:
        question: The standalone question.
        chunks: What was retrieved.
    """
    asked = _WHEN.match(question)
    said = messages_of(chunks) if asked else []
    if asked is None or not said:
        return None
    found = find_message(asked["about"], said)
    if found is None or not _has_thing(asked["about"], found):
        return None
    claim = found.claim(asked["about"])
    if SAYING.search(asked["about"]):
        day: date | None = found.message.at.date()
    else:
        told = [claim.object, *sentences(found.text)]
        days = (named_day(found.message.at.date(), sentence) for sentence in told)
        day = next((one.day for one in days if one is not None), None)
    if day is None:
        return None
    return Draft("graph_search", (f"{day:%Y-%m-%d}",), hops=(claim,), derived=True)


def _has_thing(about: str, found: Said) -> bool:
    """Return whether a message names what was said or sent: a bill is sent by no other "send it".

    Where a question names somebody, the message may be known by who speaks.
    """
    things = word_groups(SAYING.sub("", about))
    return bool(proper_names(about)) or not things or bool(things & found.words)


def compare_moments(question: str, chunks: Iterable[Chunk]) -> Draft | None:
    """Return "yes", "no" or a number of days by the moments of two messages.

    "Did Ann ask for the key before Bo sold the boat?" looks up a message for each half, by its
    words and by who speaks. None where the question asks for no order of two things, where there
    are no conversations, or where no message fits one of the halves; with reserve where a message
    has few of its half's words.

    Args:
        question: The standalone question.
        chunks: What was retrieved.
    """
    asked = _ORDER.search(question) or _INTERVAL.search(question)
    said = messages_of(chunks) if asked else []
    if asked is None or not said:
        return None
    one, other = find_message(asked["one"], said), find_message(asked["other"], said)
    if one is None or other is None or one.message.moment == other.message.moment:
        return None
    answer = _answer(question, asked, one.message, other.message)
    hops = (one.claim(asked["one"]), other.claim(asked["other"]))
    reserve = None if one.is_told and other.is_told else unstated(ASKED)
    return Draft("graph_search", (answer,), hops=hops, derived=True, reserve=reserve)


def _answer(question: str, asked: re.Match[str], one: Message, other: Message) -> str:
    if "order" in asked.groupdict():
        is_before = one.at < other.at
        return "yes" if is_before == (asked["order"].lower() == "before") else "no"
    days = abs((other.at - one.at).days)
    if bound := _BOUND.search(question):
        is_more = abs((other.at - one.at).total_seconds()) > int(bound["days"]) * 86_400
        return "yes" if is_more == (bound["more"].lower() == "more") else "no"
    return f"{days} days"
