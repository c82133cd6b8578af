"""Tell which of two messages came first, and how many days lie between, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from hoptrail.agents.evidence.evidence_index import token_key
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.reserves import ASKED, unstated
from hoptrail.agents.language.text_similarity import WordRarity
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.core.conversation import Message, is_conversation, messages
from hoptrail.core.text import name_key, sentences
from hoptrail.core.types import Chunk
from hoptrail.core.types.draft import Draft, HopClaim

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

_OCCURS = re.compile(
    r"(?<!\s)\s+(?:occur(?:red)?|happen(?:ed)?|take place|took place)\b", re.IGNORECASE
)
_DAY = re.compile(r"\b(20\d\d)-?(\d\d)-?(\d\d)\b")
_SPEAKS = 0.3
_DATED = 0.5
_NAMES = 0.2
_LEAST_SCORE = 0.35
_AROUND = 0.3
# Of 20 orders of messages of LiHua-World, 4 of 4 that told as much were right, and 9 of 16 others.
_MOST = 0.6


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


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a passage, with its words and those of the passage.

    `is_told` is whether the message has most of the words that were looked for, by who is to speak.
    """

    chunk: Chunk
    message: Message
    words: frozenset[str]
    around: frozenset[str]
    key: str
    is_told: bool = False

    @property
    def text(self) -> str:
        """The words of the message."""
        return self.chunk.text[self.message.said : self.message.end]

    def claim(self, about: str) -> HopClaim:
        """Return who wrote when, and the sentence that has most of the words asked about."""
        speaker, wanted = self.message.speaker or self.chunk.title, word_groups(about)
        told = sentences(self.text)
        fits = [len(wanted & word_groups(sentence)) for sentence in told]
        said_when = f"wrote on {self.message.at:%Y-%m-%d}"
        return HopClaim(speaker, said_when, told[fits.index(max(fits))], chunk_id=self.chunk.id)


def messages_of(chunks: Iterable[Chunk]) -> list[Said]:
    """Return the messages of all passages that are conversations."""
    found: list[Said] = []
    for chunk in chunks:
        if is_conversation(chunk.text):
            around = word_groups(chunk.text)
            for message in messages(chunk.text):
                text = chunk.text[message.said : message.end]
                found.append(Said(chunk, message, word_groups(text), around, token_key(text)))
    return found


def find_message(about: str, said: list[Said]) -> Said | None:
    """Return the message that some words are about, by its words and who speaks; None for none."""
    names = [name_key(name) for name in proper_names(about)]
    days = {"".join(match.groups()) for match in _DAY.finditer(about)}
    wanted = word_groups(_OCCURS.sub("", about)) - word_groups(" ".join(names))
    rarity = WordRarity([one.words for one in said], smoothing=1)

    def score(one: Said) -> float:
        speaker = name_key(one.message.speaker)
        fit = rarity.share(wanted, one.words) + _AROUND * rarity.share(wanted, one.around)
        fit += _SPEAKS * bool(names and speaker and _is_same(names[0], speaker))
        fit += _DATED * (f"{one.message.at:%Y%m%d}" in days)
        return fit + _NAMES * any(f" {name} " in one.key for name in names[1:])

    best = max(said, key=lambda one: (round(score(one), 5), -one.message.at.timestamp()))
    if score(best) < _LEAST_SCORE:
        return None
    speaks = not names or _is_same(names[0], name_key(best.message.speaker))
    is_told = speaks and rarity.share(wanted, best.words) >= _MOST
    return replace(best, is_told=is_told)


def _is_same(name: str, speaker: str) -> bool:
    """Return whether a name is a speaker's, its first name, or it run together."""
    return name in {speaker, speaker.split(" ")[0], speaker.replace(" ", "")}
