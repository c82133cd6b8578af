"""Tell which of two things was written first, and how many days lay between, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import token_key
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.language.word_rarity import WordRarity
from hoptrail.core.conversation import Message, is_conversation, messages
from hoptrail.core.text import name_key, sentences
from hoptrail.core.types import Chunk
from hoptrail.core.types.draft import Draft, HopClaim

_ORDER = re.compile(
    r"\b(?:did|was|were|had|has|does)\s+(?P<one>.{5,300}?)\s+(?P<order>before|after)\s+"
    r"(?P<other>.{5,300}?)\s*\?",
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
_OCCURS = re.compile(r"\s+(?:occur(?:red)?|happen(?:ed)?|take place|took place)\b", re.IGNORECASE)
_DAY = re.compile(r"\b(20\d\d)-?(\d\d)-?(\d\d)\b")
_SPEAKS = 0.3
_DATED = 0.5
_NAMES = 0.2
_LEAST_SCORE = 0.35
_AROUND = 0.3


@dataclass(frozen=True, slots=True)
class _Said:
    """A message of a passage, with its words and those of the passage."""

    chunk: Chunk
    message: Message
    words: frozenset[str]
    around: frozenset[str]
    key: str


def compare_moments(question: str, chunks: Iterable[Chunk]) -> Draft | None:
    """Return "yes", "no" or a number of days by the moments of two messages.

    "Did Ann ask for the key before Bo sold the boat?" looks up a message for each half, by its
    words and by who speaks. None where the question asks for no order of two things, where there
    are no conversations, or where no message fits one of the halves.

    Args:
        question: The standalone question.
        chunks: What was retrieved.
    """
    asked = _ORDER.search(question) or _INTERVAL.search(question)
    said = list(_said(chunks)) if asked else []
    if asked is None or not said:
        return None
    one, other = _found(asked["one"], said), _found(asked["other"], said)
    if one is None or other is None or one.message.moment == other.message.moment:
        return None
    answer = _answer(question, asked, one.message, other.message)
    hops = (_claim(one, asked["one"]), _claim(other, asked["other"]))
    return Draft("graph_search", (answer,), hops=hops, derived=True)


def _answer(question: str, asked: re.Match[str], one: Message, other: Message) -> str:
    if "order" in asked.groupdict():
        is_before = one.at < other.at
        return "yes" if is_before == (asked["order"].lower() == "before") else "no"
    days = abs((other.at - one.at).days)
    if bound := _BOUND.search(question):
        is_more = abs((other.at - one.at).total_seconds()) > int(bound["days"]) * 86_400
        return "yes" if is_more == (bound["more"].lower() == "more") else "no"
    return f"{days} days"


def _said(chunks: Iterable[Chunk]) -> Iterator[_Said]:
    for chunk in chunks:
        if is_conversation(chunk.text):
            around = word_groups(chunk.text)
            for message in messages(chunk.text):
                text = chunk.text[message.said : message.end]
                yield _Said(chunk, message, word_groups(text), around, token_key(text))


def _found(half: str, said: list[_Said]) -> _Said | None:
    """Return the message that a half of the question is about, None where none fits."""
    names = [name_key(name) for name in proper_names(half)]
    days = {"".join(match.groups()) for match in _DAY.finditer(half)}
    wanted = word_groups(_OCCURS.sub("", half)) - word_groups(" ".join(names))
    rarity = WordRarity([one.words for one in said], smoothing=1)

    def score(one: _Said) -> float:
        speaker = name_key(one.message.speaker)
        fit = rarity.share(wanted, one.words) + _AROUND * rarity.share(wanted, one.around)
        fit += _SPEAKS * bool(names and speaker and _is_same(names[0], speaker))
        fit += _DATED * (f"{one.message.at:%Y%m%d}" in days)
        return fit + _NAMES * any(f" {name} " in one.key for name in names[1:])

    best = max(said, key=lambda one: (round(score(one), 5), -one.message.at.timestamp()))
    return best if score(best) >= _LEAST_SCORE else None


def _is_same(name: str, speaker: str) -> bool:
    """Return whether a name is a speaker's, its first name, or it run together."""
    return name in {speaker, speaker.split(" ")[0], speaker.replace(" ", "")}


def _claim(said: _Said, half: str) -> HopClaim:
    """Return who wrote when, and the sentence of the message that has most of the half's words."""
    speaker, wanted = said.message.speaker or said.chunk.title, word_groups(half)
    told = sentences(said.chunk.text[said.message.said : said.message.end])
    fits = [len(wanted & word_groups(sentence)) for sentence in told]
    said_when = f"wrote on {said.message.at:%Y-%m-%d}"
    return HopClaim(speaker, said_when, told[fits.index(max(fits))], chunk_id=said.chunk.id)
