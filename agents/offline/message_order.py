"""Tell which of two messages came first, and how many days lie between, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hoptrail.agents.language.reserves import ASKED, unstated
from hoptrail.agents.offline.message_search import find_message, messages_of
from hoptrail.core.conversation import Message
from hoptrail.core.types import Chunk
from hoptrail.core.types.draft import Draft

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
