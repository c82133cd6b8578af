"""Make a follow-up question standalone without a model: pronouns and ellipsis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from hoptrail.agents.language.answer_types import AnswerType, focus_of, type_of_noun
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import kind_of
from hoptrail.agents.planning.person_names import is_person, may_be_person
from hoptrail.agents.planning.remark import asks_for_source, asks_why, is_remark
from hoptrail.core.reply_conventions import is_abstention
from hoptrail.core.text import STOP_WORDS, content_words

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
_POSSESSIVE_ENDING = re.compile(r"['’]s$")
_POSSESSIVE = frozenset({"his", "its", "their"})
# Before any other small word "her" is the object: "Who chose her as surveyor?"
_QUALIFIES_NOUN = frozenset("few most only other own same very".split())
_OF_ITS_PLACE = re.compile(
    r"\s(?:[a-z]{2,20}ly\s)?(?:lies?|lay|stands?|stood|flows?|flowed|located|situated)\b", re.I
)
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
_ASKS_FOR_ROLE = re.compile(r"^who(?:\s(?:is|was|are|were)|['’]s)\s(?:the|our)\s", re.I)
_ASKS_FOR_PROPERTY = re.compile(r"^what(?:\s(?:is|was|are|were)|['’]s)\sthe\s[\w-]+[\s?.!]*$", re.I)
_WHAT_DOES = re.compile(r"\W{0,3}(?:and\s)?what\s(?:do|does|did|has|have|had)\b", re.I)
_THE_OTHER = re.compile(r"the\sother(?:\sone)?", re.I)
_OF_A_LIST = re.compile(r"\s?[,;]\s?(?:and\s)?|\sand\s")
_THAT = re.compile(
    r"^(?:and\s)?(?P<asked>who|what|when|where|how\s\w{2,10})(?:\s(?:is|was|are|were)|['’]s)\s"
    r"(?P<that>that|this)[\s?.!]*$",
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
    conversation. "Who is the bosun?" is one of a ship or work that the last question named, else
    none that the conversation tells. "Why?" and "Where does it say that?" ask the last question
    once more: its answer comes with the trail that tells why.
    """
    history = [turn for turn in history if not is_remark(turn.question)]
    if not history:
        return question
    if asks_why(question) or asks_for_source(question):
        return resolve_follow_up(history[-1].question, history[:-1])
    if (that := _THAT.match(question)) and (referent := _referent(_kind_of_that(that), history)):
        return f"{question[: that.start('that')]}{referent}?"
    pronouns = _referring_pronouns(question)
    if pronouns:
        return _replace_pronouns(question, pronouns, history)
    own_names = proper_names(question)
    ellipsis = _ELLIPSIS.match(question)
    rest = question[ellipsis.end() :].strip(" ?.!") if ellipsis else ""
    if own_names and 0 < len(rest.split()) <= MAX_NAME_WORDS:
        return _swap_name(rest, history) or question
    if _THE_OTHER.fullmatch(rest):
        other = _other_of_two(history)
        return other and _swap_name(other, history) or question
    if rest and (told := _of_another_thing(rest, history)):
        return told
    bare = _BARE.match(question)
    if bare and (told := _of_last_question(bare[1], history[-1])):
        return told
    # "When is the concert?" asks of no other thing.
    is_of_thing = _WHERE_IS.match(question) and _THING.search(question)
    is_told = bool(is_of_thing) or len(content_words(question)) >= _FEWEST_WORDS
    is_told = is_told and not ellipsis
    if own_names or is_told:
        return question
    asks_for_role = _ASKS_FOR_ROLE.match(question) is not None
    referent = _with_roles(history[-1]) if asks_for_role else _referent("any", history)
    joint = " of" if asks_for_role or _ASKS_FOR_PROPERTY.match(question) else ", regarding"
    return f"{question.rstrip(' ?.!')}{joint} {referent}?" if referent else question


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

    So is "And the bosun?" behind "Who is the captain?"; "And the price?" asks of the same thing
    instead.
    """
    named = _ANOTHER_THING.fullmatch(rest)
    last = next(_whole_questions(history), "")
    asked = _THING.search(last)
    if named is None or asked is None or type_of_noun(named["noun"]) is not None:
        return None
    asks_for_role = _ASKS_FOR_ROLE.match(last) is not None
    if not asks_for_role and focus_of(last).answer_type not in {"number", "date"}:
        return None
    return f"{last[: asked.start('thing')]}{named.group()}{last[asked.end('thing') :]}"


def _whole_questions(history: Sequence[Turn]) -> Iterator[str]:
    """Yield the questions that tell what they ask, the latest first: not "And the dryer?"."""
    return (turn.question for turn in reversed(history) if not _ELLIPSIS.match(turn.question))


def _with_roles(last: Turn) -> str | None:
    """Return the ship, work or firm that the last question names: it may have a bosun or producer.

    It is named with an article, or is what someone made: "the Morning Tern", "Who wrote Red Fern?".
    """
    names = proper_names(last.question)
    done = _WHO_DID.match(last.question.strip())
    made = names and done is not None and done["what"].startswith(names[0])
    if names and (with_article := f"the {names[0]}") in last.question:
        return with_article
    return names[0] if made else None


def _other_of_two(history: Sequence[Turn]) -> str | None:
    """Return whom an answer listed beside the one that the last whole question names."""
    named = proper_names(next(_whole_questions(history), ""))
    for turn in reversed(history):
        listed = [one for one in _OF_A_LIST.split(turn.answer) if _is_name(one)]
        others = [one for one in listed if one not in named]
        if len(listed) == 2 and len(others) == 1:
            return others[0]
    return None


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
        is_of_place = match["thing"] and _OF_ITS_PLACE.match(question, match.end())
        referent = (_last_place(history) if is_of_place else None) or _referent(
            _kind(match), history
        )
        if referent is None:
            continue
        question = _with_name(question, match, referent)
    return question


def _with_name(question: str, pronoun: re.Match[str], name: str) -> str:
    """Return a question with a name for one of its pronouns, in the form that stands there."""
    if _is_possessive(question, pronoun):
        name += "'" if name.endswith("s") else "'s"
    elif pronoun["place"]:
        name = f"in {name}"
    return question[: pronoun.start()] + name + question[pronoun.end() :]


def _kind(match: re.Match[str]) -> PronounKind:
    noun = (match["noun"] or "").lower()
    if match["person"] or noun in {"person", "man", "woman", "actor", "actress", "author"}:
        return "person"
    if noun == "director":
        return "person"
    if match["place"] or noun in {"city", "town", "country", "place", "state", "river"}:
        return "place"
    return "any" if match["any"] or noun == "one" else "thing"


def _kind_of_that(match: re.Match[str]) -> PronounKind:
    """Return what "that" stands for by what is asked of it: "Who is that?" asks of a person."""
    kinds: dict[str, PronounKind] = {"who": "person", "what": "any", "where": "place"}
    return kinds.get(match["asked"].lower(), "thing")


def _is_possessive(question: str, match: re.Match[str]) -> bool:
    word = match.group().lower()
    if match["possessive"] or word in _POSSESSIVE:
        return True
    following = re.match(r"\s+([a-z]+)", question[match.end() :], re.IGNORECASE)
    if word != "her" or following is None:
        return False
    return following.group(1).lower() not in STOP_WORDS - _QUALIFIES_NOUN


def _last_place(history: Sequence[Turn]) -> str | None:
    """Return the place that the last question asked for: "it" lies on a river, as it does."""
    last = history[-1]
    is_place = focus_of(last.question).answer_type == "place" and _is_name(last.answer)
    return last.answer.strip() if is_place else None


def _referent(kind: PronounKind, history: Sequence[Turn]) -> str | None:
    if kind == "person":
        return _person(history)
    for turn in reversed(history):
        answer_type = focus_of(turn.question).answer_type
        is_answer = _fits(kind, answer_type) and _is_name(turn.answer)
        thing = _THING.search(turn.question) if kind in {"thing", "any"} else None
        if thing and kind == "thing" and is_person(turn.question, *thing.span("thing")):
            thing = None
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


def _person(history: Sequence[Turn]) -> str | None:
    """Return whom "she" or "he" means: who was last named as a person, or may be one."""
    places = {
        turn.answer.strip() for turn in history if focus_of(turn.question).answer_type == "place"
    }
    for turn in reversed(history):
        answer, focus = turn.answer.strip(), focus_of(turn.question)
        is_answer = type_of_noun(focus.noun) in {"person", None} and _is_name(answer)
        is_answer = is_answer and _fits("person", focus.answer_type)
        is_answer = is_answer and may_be_person(answer, answer)
        is_answer = is_answer and not _WHAT_DOES.match(turn.question)
        if is_answer and not turn.perhaps:
            return answer
        for name in proper_names(turn.question):
            if name not in places and may_be_person(turn.question, name):
                return name
        if is_answer and focus.answer_type == "person":
            return answer
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
    """Return the last whole question that names someone or something, with another name for it.

    "Colm's" stands for "her" as it does for "Ann's": the name is put there without its ending.
    """
    bare = _POSSESSIVE_ENDING.sub("", name)
    for question in _whole_questions(history):
        if names := proper_names(question):
            return re.sub(rf"(?:\bthe\s)?{re.escape(names[0])}", lambda _: bare, question, count=1)
        if pronouns := _referring_pronouns(question):
            return _with_name(question, pronouns[0], bare)
    return None
