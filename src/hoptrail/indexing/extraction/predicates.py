"""The words between two mentions of a sentence, and what relation they state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from hoptrail.agents.language.sentence_grammar import BE, IRREGULAR_VERBS, THIRD_PERSONS

LinkKind = Literal["verb", "preposition", "apposition", "description", "listed", "break"]

LONGEST = 8  # words of a predicate
_MOST_READ = 16  # words between two mentions
_TOKEN = re.compile(r"[^\W_][\w'’-]*|['’](?:s|m|ve|re|ll|d)\b|[^\w\s]| {2,}|\t|\n[^\S\n]*\n")
_BREAKS = frozenset(";:|.!?…–—()[]{}<>#*\"“”«»=/•'’‘")
_CONTRACTED = {"'m": "is", "'ve": "have", "'re": "are", "'ll": "will", "'d": "would"}

AUXILIARIES = BE | frozenset(
    "has have had do does did will would shall can could may might must".split()
)
_BASE_VERBS = frozenset(
    """accept admire agree allow announce answer appear appoint appreciate arrive ask attend avoid
    beat become begin believe belong bring build buy call carry catch cause change choose come
    command contain cook cost cover create cross deliver depend describe design direct discover draw
    drive eat enjoy enter explore face fall feature feel fight fill find finish fly follow found get
    give go grow hate have hear help hire hit hold hope include introduce invite join keep kill know
    lead learn leave like listen live lose love
    maintain make manage mean meet miss move need offer
    open order organize organise own pass pay perform plan play prefer produce promise protect
    provide publish pull push put reach read receive recommend record reject release remember remind
    repair replace report represent require run sell send serve show sign sing sit speak spend stand
    star start state stay stop study supply support take talk teach tell think train travel treat
    try use visit wait want watch wear win work write tour pick adore
    recall share""".split()
)  # fmt: skip
_VERBS = (
    IRREGULAR_VERBS
    | THIRD_PERSONS
    | frozenset(
        """ate drank hurt led read ran paid quit swam stole threw tore woke wept slew bore bade beat
    bound bred clung crept dealt dug drove dwelt fed flung forbade forgave froze ground hung
    heard leapt leant lit mistook overcame overtook rang rode sank shook shone shrank slept slid
    spun sprang spread stuck stung strode swept swung undertook withdrew wound became loves likes
    hates wants needs uses owes grows cooks builds tours recommends prefers signs
    contains knows thinks rents repairs delivers orders replaces reports supplies""".split()
    )
)
_NO_VERBS = frozenset(
    """hundred red bed need seed speed breed indeed shed sacred naked wicked aged based-on
    united""".split()
)
PREPOSITIONS = frozenset(
    """of in on at by for from to with within near under into through over via per between among
    across along around after before during since until as about against toward towards upon behind
    beside without""".split()
)
DETERMINERS = frozenset(
    "a an the this that these those its his her their each every our my".split()
)
_ADVERBS = frozenset(
    """also later then first now soon once again still already subsequently eventually originally
    formerly initially finally currently jointly not never always often usually sometimes
    really just even only both twice""".split()
)
_RELATIVES = frozenset({"who", "which", "that"})
_CLAUSE_WORDS = frozenset(
    """he she it they i we you who whom whose which that what when where while because if although
    though but unless whether whereas how why so than there s let
    whenever wherever anyone everyone sure""".split()
)
_TIMES = frozenset("today tomorrow yesterday ago too alone there here each together back".split())
_OPINIONS = frozenset(
    """think thinks thought say says said guess hope hopes hoped believe believes wish suppose know
    knows knew wonder mean means suggest imagine replied answered cried asked""".split()
)
_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th)")
_JOINERS = frozenset({"and", "or", "&"})


@dataclass(frozen=True, slots=True)
class Link:
    """How a mention is joined to what stands before it.

    `words` are those of the predicate, `stem` those to which a further preposition may be added
    ("was born" of "was born in"). `relative` is the pronoun that leads the verb ("who founded"),
    and `goes_on` whether it shares the one before ("and
    founded"); `is_apart` whether it follows a comma.
    """

    kind: LinkKind
    words: tuple[str, ...] = ()
    stem: tuple[str, ...] = ()
    relative: str = ""
    goes_on: bool = False
    is_apart: bool = False


BREAK = Link("break")


@lru_cache(maxsize=65536)
def read_link(between: str) -> Link:
    """Return what the text between two mentions says, a break where it is not understood."""
    found: list[str] = _TOKEN.findall(between)
    tokens = [_CONTRACTED.get(token.replace("’", "'"), token) for token in found]
    if len(tokens) > _MOST_READ or any(token in _BREAKS or token.isspace() for token in tokens):
        return BREAK
    lowered = [token.lower() for token in tokens]
    if any(token != low and low != "i" for token, low in zip(tokens, lowered, strict=True)):
        return BREAK  # a capital that is no mention
    if lowered[:1] == ["'s"] or lowered[:1] == ["’s"]:
        return BREAK
    if all(token in _JOINERS or token == "," or _ORDINAL.fullmatch(token) for token in lowered):
        return Link("listed") if lowered else BREAK
    is_apart = lowered[0] == ","
    words = lowered[1:] if is_apart else lowered
    has_joiner = bool(words) and words[0] in _JOINERS
    words = words[1:] if has_joiner else words
    relative = words[0] if words and words[0] in _RELATIVES else ""
    words = words[1:] if relative else words
    return _link(words, is_apart, has_joiner, relative)


def is_verb(word: str) -> bool:
    """Return whether a lower-cased word is surely a verb form, without regard to its place."""
    if word in AUXILIARIES or word in _VERBS:
        return True
    return word.endswith("ed") and len(word) > 3 and word not in _NO_VERBS


def opens_noun(word: str) -> bool:
    """Return whether a lower-case word behind a name makes it describe a noun: "FPS games"."""
    is_function = word in PREPOSITIONS or word in _JOINERS or word in _CLAUSE_WORDS
    is_function = is_function or word in DETERMINERS or word in _ADVERBS or word in AUXILIARIES
    return not (is_function or is_verb(word) or word.endswith(("ly", "ing")) or word in _TIMES)


def _link(words: list[str], is_apart: bool, has_joiner: bool, relative: str) -> Link:
    while words and (words[0] in _ADVERBS or words[0].endswith("ly")):
        words = words[1:]
    if not words or "," in words or any(word in _CLAUSE_WORDS for word in words):
        return BREAK
    first = words[0]
    is_participle = first.endswith("ing") and len(first) > 4
    is_third = first.endswith("s") and first[-2:] != "ss" and len(first) > 3
    is_third = is_third and (len(words) == 1 or words[1] in DETERMINERS or words[1] in PREPOSITIONS)
    is_plain = first in _BASE_VERBS and not is_apart
    if is_verb(first) or is_participle or is_third or is_plain:
        return _verb_link(words, relative, has_joiner, is_apart)
    if has_joiner or relative:
        return BREAK
    if first in PREPOSITIONS:
        return _preposition_link(words, is_apart)
    return _apposition(words) if is_apart else _nominal(words)


def _verb_link(words: list[str], relative: str, goes_on: bool, is_apart: bool) -> Link:
    said = _without_article(words)
    if said[-1] in _JOINERS or any(word in _OPINIONS for word in said):
        return BREAK
    short = _compressed(said)
    stem = _stem(said)
    return Link("verb", tuple(short), stem, relative, goes_on, is_apart)


def _preposition_link(words: list[str], is_apart: bool) -> Link:
    said = _without_article(words)
    if len(said) > LONGEST - 1 or any(is_verb(word) for word in said) or said[-1] in _JOINERS:
        return BREAK
    if len(said) > 1 and said[-1] not in PREPOSITIONS and len(words) == len(said):
        return BREAK if is_apart else Link("preposition", tuple(said))
    return Link("preposition", tuple(said))


def _apposition(words: list[str]) -> Link:
    """Read ", a fellow apprentice of" and ", daughter of"."""
    said = _without_article(words)
    if len(said) > LONGEST or said[-1] not in PREPOSITIONS or len(said) < 2:
        return BREAK
    if any(is_verb(word) or word.endswith("ing") or word in _JOINERS for word in said[:-1]):
        return BREAK
    return Link("apposition", tuple(said))


def _nominal(words: list[str]) -> Link:
    """Read what follows a name that only describes a noun: "film directed by", "actress from"."""
    short = _compressed(_without_article(words), always=True)
    if not short or short[-1] not in PREPOSITIONS:
        return BREAK
    return Link("description", tuple(short))


def _without_article(words: Sequence[str]) -> list[str]:
    said = list(words)
    while len(said) > 1 and said[-1] in DETERMINERS:
        said.pop()
    return said


def _compressed(words: list[str], *, always: bool = False) -> list[str]:
    """Return the words if they are few, else the last participle with its preposition."""
    if len(words) <= LONGEST and not always:
        return words
    if words[-1] not in PREPOSITIONS:
        return []
    for place in range(len(words) - 2, max(-1, len(words) - LONGEST), -1):
        if is_verb(words[place]) and words[place] not in AUXILIARIES:
            while place > 1 and words[place - 1] in _JOINERS and is_verb(words[place - 2]):
                place -= 2
            return words[place:]
    if always and len(words) <= LONGEST:
        return words
    return []


def _stem(words: Sequence[str]) -> tuple[str, ...]:
    """Return the verb of a verb phrase with its helpers: "was born" of "was born in"."""
    end = 0
    while end < len(words) and (
        is_verb(words[end]) or words[end] in _BASE_VERBS or words[end] in _ADVERBS or end == 0
    ):
        end += 1
    return tuple(words[:end])
