"""Answer when or where something happens by the sentence that says so: "are allowed after 6 pm"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.event_question import EventQuestion, read_event_question
from hoptrail.agents.language.everyday_words import everyday_groups
from hoptrail.agents.offline.told_label import groups_above
from hoptrail.agents.reading.query import read_query
from hoptrail.agents.reading.values import find_values
from hoptrail.core.text import flat, name_key
from hoptrail.core.types.draft import Draft, HopClaim

_SAYS = re.compile(
    r"\W{0,4}(?:\d{1,2}(?:\.\d{1,2}){0,2}[.)]?\s)?"
    r"(?P<subject>[^\s,;:.!?()]{1,30}(?:\s[^\s,;:.!?()]{1,30}){0,7}?)\s"
    r"(?P<helpers>(?:(?:is|are|was|were|may|can|must|should|shall|will|has|have|been|be|always|only|also)\s){0,4})"
    r"(?P<verb>[a-z]{3,20})(?:\s(?P<particle>off|out|up|down|place|back|away))?\s"
    r"(?P<rest>(?:only\s)?(?:on|at|by|after|before|from|until|till|every|each|between|in|behind|under|near|"
    r"inside|outside|beside|opposite|above|below|over|next|along|around|upstairs|downstairs|during|noon|"
    r"midnight)\b(?:[^.;:!?,()\n]|(?<=\d)[.:](?=\d)|\n(?!\n)){0,100})",
)
_PHRASE = re.compile(
    r"(?<!\bonly)\s(?=(?:only|on|at|by|after|before|from|until|till|every|each|in|behind|under|near|inside|outside|"
    r"beside|opposite|above|below|during)\s)"
)
_NEXT_STATEMENT = re.compile(r"\s(?:and|but|while|because|if|unless|when)\s(?!\d)")
# "On 3 May" is the day alone, "in Lund" the town; "after 3 May" and "in the barn" are told whole.
_BARE = re.compile(r"^(?:on|at|in)\s(?:the\s)?(?=[\dA-Z]|noon|midnight)")
_LONGEST = 10  # words


def find_circumstance(question: str, index: EvidenceIndex) -> Draft | None:
    """Return when or where a sentence says that the asked thing happens, None where none does.

    The sentence is about that thing and no other, and says the same of it, in whatever form. Where
    sentences give different times or places, none is taken.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    asked = read_event_question(question)
    if asked is None or read_query(question).is_doubtful:
        return None
    found = [
        claim
        for sentences in index.sentences.values()
        for sentence in sentences
        for claim in _told(asked, sentence)
    ]
    if len({name_key(claim.object) for claim in found}) != 1:
        return None
    answer = _BARE.sub("", found[0].object, count=1)
    return Draft("graph_search", (answer,), hops=(found[0],), reserve="")


def _told(asked: EventQuestion, sentence: Sentence) -> Iterator[HopClaim]:
    """Yield what a sentence says of the thing, with the time or place as its object."""
    text = sentence.text
    said = _SAYS.match(text)
    if said is None or not asked.is_verb(said["verb"]):
        return
    if (said["particle"] or "").lower() != asked.particle:
        return
    subject = everyday_groups(said["subject"])
    above = groups_above(sentence)
    if not (subject & asked.things and asked.things <= subject | above):
        return
    if subject - asked.things - above or not is_asserted(text, *said.span("verb")):
        return
    before, told = _circumstance(asked, said["rest"])
    if told:
        verb = f"{said['helpers']}{said['verb']} {said['particle'] or ''} {before}"
        yield HopClaim(flat(said["subject"]), flat(verb), told, sentence.chunk.id)


def _circumstance(asked: EventQuestion, rest: str) -> tuple[str, str]:
    """Return the phrases that tell the time, or the place, and those before them.

    Two blanks are returned where none tells it.
    """
    rest = _NEXT_STATEMENT.split(rest, maxsplit=1)[0]
    phrases = _PHRASE.split(rest)
    kinds = [_is_time(phrase) for phrase in phrases]
    wanted = not asked.asks_where
    first = next((place for place, kind in enumerate(kinds) if kind == wanted), None)
    if first is None or first > 1:
        return "", ""
    last = first
    while last + 1 < len(phrases) and kinds[last + 1] == wanted:
        last += 1
    told = flat(" ".join(phrases[first : last + 1]))
    return (" ".join(phrases[:first]), told) if len(told.split()) <= _LONGEST else ("", "")


def _is_time(phrase: str) -> bool:
    return any(value.kind in {"date", "time", "hours"} for value in find_values(phrase))
