"""Make a follow-up question standalone without a model: pronouns and ellipsis."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hoptrail.agents.language.answer_types import AnswerType, focus_of, type_of_noun
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import kind_of
from hoptrail.core.reply_conventions import is_abstention
from hoptrail.core.text import content_words

MAX_NAME_WORDS = 8

PronounKind = Literal["person", "thing", "any", "place"]

_PRONOUN = re.compile(
    r"""\b(?:(?P<person>he|she|him|his|hers?|himself|herself)
    |(?P<any>they|them|their|theirs)
    |(?P<thing>its?|itself)
    |(?P<place>there)(?!\s+(?:is|are|was|were|any|been|a|an)\b)
    |(?:that|this|the\s+same|said)\s+(?P<noun>person|man|woman|actor|actress|author|director|film|
        movie|book|novel|song|album|city|town|country|place|state|river|company|band|team|building|
        one))\b(?P<possessive>['’]s\b)?""",
    re.IGNORECASE | re.VERBOSE,
)
_POSSESSIVE = frozenset({"his", "its", "their"})
_CLAUSE = re.compile(r"\b(?:and|but|or|then|when|where|who|that|which|because|if)\b|[,;]", re.I)
_ELLIPSIS = re.compile(r"^(?:and|but|so|ok|okay)?[\s,]*(?:(?:what|how)\s+about|and)\s+", re.I)
_BARE = re.compile(
    r"^(?:and|but|so|ok|okay)?[\s,]*(when|where|(?:in\s)?(?:which|what)\s(?:year|place))[\s?.!]*$",
    re.I,
)
# What a question without names is about: "What does the camp cost?"
_THING = re.compile(
    r"\b(?:does|do|did|is|are|was|were)\s"
    r"(?P<thing>(?:the|our)\s\w[\w-]{1,30}(?:\s\w[\w-]{1,30}){0,3}?)"
    r"(?=\s(?:cost|take|last|weigh|begin|start|end|open|close|run|of|in|at|on|for|to|from|by|with|that"
    r"|who|which|held|built|made|sold|bought|paid)\b|\s?[?.!]{0,3}$)"
)
_ANOTHER_THING = re.compile(
    r"(?:the|our|a|an)\s(?:[a-z][\w-]{1,30}\s){0,3}(?P<noun>[a-z][\w-]{1,30})"
)
_WHO_DID = re.compile(
    r"^who\s(?P<did>\w{2,20}ed|built|made|held)\s(?P<what>.{2,200}?)[\s?.!]*$", re.I
)
_WHERE_IS = re.compile(
    r"^(?:when|where|what\stime)\s(?P<rest>(?:is|are|was|were|will|do|does|did)\s.{2,200}?)[\s?.!]*$",
    re.I,
)
_FEWEST_WORDS = 2  # of content, in a question that tells what it is about
_MOST_PRONOUNS = 20  # a text with more tells its own story
_EXPLETIVE = re.compile(
    r"^(?:is|was|what\s+time\s+is)\s+it\s+(?:true|that|possible|correct)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange of the conversation; `perhaps` is whether its answer was given with reserve."""

    question: str
    answer: str = ""
    perhaps: bool = False


def resolve_follow_up(question: str, history: Sequence[Turn]) -> str:
    """Return the question with what it leaves unsaid taken from the latest turns that fit.

    He and she stand for a person, it for a thing, there for a place: the last answer where its
    question asked for such, else a name or "the camp" of the last question, else the turn before.
    An answer that was given with reserve comes behind what its question names; so does that of
    "Where is the party?", of which "it" is the party.
    A question that names things itself and has no pronoun stays as it is, and so does one that says
    in two words or more what it is about: "Who is the head coach?" is no less clear in a
    conversation.
    """
    if not history:
        return question
    pronouns = _referring_pronouns(question)
    if pronouns:
        return _replace_pronouns(question, pronouns, history)
    own_names = proper_names(question)
    ellipsis = _ELLIPSIS.match(question)
    if ellipsis and own_names and len(question[ellipsis.end() :].split()) <= MAX_NAME_WORDS:
        return _swap_name(question[ellipsis.end() :].strip(" ?.!"), history) or question
    if ellipsis and (told := _of_another_thing(question[ellipsis.end() :], history)):
        return told
    bare = _BARE.match(question)
    if bare and (told := _of_last_question(bare[1], history[-1])):
        return told
    is_told = not ellipsis and len(content_words(question)) >= _FEWEST_WORDS
    if own_names or is_told:
        return question
    referent = _referent("any", history)
    return f"{question.rstrip(' ?.!')}, regarding {referent}?" if referent else question


def _of_last_question(asked: str, last: Turn) -> str | None:
    """Return "When was Red Fern directed?" for "And when?" behind "Who directed Red Fern?".

    Behind "Where is the party?" it is "When is the party?".
    """
    if done := _WHO_DID.match(last.question.strip()):
        return f"{asked.capitalize()} was {done['what']} {done['did']}?"
    place = _WHERE_IS.match(last.question.strip())
    return f"{asked.capitalize()} {place['rest']}?" if place else None


def _of_another_thing(rest: str, history: Sequence[Turn]) -> str | None:
    """Return the last question with "the dryer" for its thing, for "And the dryer?" behind it.

    "And the price?" asks of the same thing instead.
    """
    named = _ANOTHER_THING.fullmatch(rest.strip(" ?.!"))
    whole = (turn.question for turn in reversed(history) if not _ELLIPSIS.match(turn.question))
    last = next(whole, "")
    asked = _THING.search(last)
    if named is None or asked is None or type_of_noun(named["noun"]) is not None:
        return None
    if focus_of(last).answer_type not in {"number", "date"}:
        return None
    return f"{last[: asked.start('thing')]}{named.group()}{last[asked.end('thing') :]}"


def _referring_pronouns(question: str) -> list[re.Match[str]]:
    if _EXPLETIVE.match(question):
        return []
    pronouns = list(_PRONOUN.finditer(question))
    if len(pronouns) > _MOST_PRONOUNS:
        return []
    return [match for match in pronouns if not _is_own(question, match)]


def _is_own(question: str, pronoun: re.Match[str]) -> bool:
    before = question[: pronoun.start()]
    names = proper_names(before)
    if not names:
        return False
    after_name = before[before.rfind(names[-1]) + len(names[-1]) :]
    return _CLAUSE.search(after_name) is not None


def _replace_pronouns(
    question: str, pronouns: Sequence[re.Match[str]], history: Sequence[Turn]
) -> str:
    for match in reversed(pronouns):
        referent = _referent(_kind(match), history)
        if referent is None:
            continue
        if _is_possessive(question, match):
            referent += "'" if referent.endswith("s") else "'s"
        elif match["place"]:
            referent = f"in {referent}"
        question = question[: match.start()] + referent + question[match.end() :]
    return question


def _kind(match: re.Match[str]) -> PronounKind:
    noun = (match["noun"] or "").lower()
    if match["person"] or noun in {"person", "man", "woman", "actor", "actress", "author"}:
        return "person"
    if noun == "director":
        return "person"
    if match["place"] or noun in {"city", "town", "country", "place", "state", "river"}:
        return "place"
    return "any" if match["any"] or noun == "one" else "thing"


def _is_possessive(question: str, match: re.Match[str]) -> bool:
    word = match.group().lower()
    if match["possessive"] or word in _POSSESSIVE:
        return True
    following = re.match(r"\s+([a-z]+)", question[match.end() :], re.IGNORECASE)
    return word == "her" and following is not None and following.group(1).lower() not in {
        "in", "at", "on", "to", "for", "with", "from", "by", "of", "and", "or", "when", "after",
    }  # fmt: skip


def _referent(kind: PronounKind, history: Sequence[Turn]) -> str | None:
    for turn in reversed(history):
        answer_type = focus_of(turn.question).answer_type
        is_answer = _fits(kind, answer_type) and _is_name(turn.answer)
        thing = _THING.search(turn.question) if kind in {"thing", "any"} else None
        if thing and kind == "thing" and _WHERE_IS.match(turn.question):
            return thing["thing"]
        if is_answer and not turn.perhaps:
            return turn.answer.strip()
        names = proper_names(turn.question)
        if names:
            return names[0]
        if thing:
            return thing["thing"]
        if is_answer:
            return turn.answer.strip()
    return None


def _fits(kind: PronounKind, answer_type: AnswerType) -> bool:
    if answer_type in {"date", "number", "yes_no"}:
        return False
    if kind == "person":
        return answer_type in {"person", "other"}
    if kind == "place":
        return answer_type in {"place", "other"}
    return answer_type != "person" or kind == "any"


def _is_name(answer: str) -> bool:
    words = answer.split()
    return (
        0 < len(words) <= MAX_NAME_WORDS
        and not answer.strip()[0].islower()
        and answer.strip().lower() not in {"yes", "no"}
        and not is_abstention(answer)
        and not re.fullmatch(r"[\W\d]*", answer)
        and kind_of(answer) not in {"date", "number"}
    )


def _swap_name(name: str, history: Sequence[Turn]) -> str | None:
    for turn in reversed(history):
        names = proper_names(turn.question)
        if names:
            return turn.question.replace(names[0], name, 1)
    return None
