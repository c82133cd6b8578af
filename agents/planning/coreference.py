"""Make a follow-up question standalone without a model: references and ellipsis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.language.answer_types import focus_of, type_of_noun
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.value_patterns import MONTHS, WEEKDAYS
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.planning.references import Reference, ReferenceKind, fit, references_in
from hoptrail.agents.planning.spoken_things import (
    MAX_NAME_WORDS,
    WHERE_IS,
    Sources,
    SpokenThings,
    Thing,
    is_name,
    listed_names,
    topic_span,
)
from hoptrail.agents.planning.turns import Turn, asks_for_source, asks_why, is_remark
from hoptrail.core.text import content_words, name_key

_POSSESSIVE_ENDING = re.compile(r"['’]s$")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_OF_ITS_PLACE = re.compile(
    r"\s(?:[a-z]{2,20}ly\s)?(?:lies?|lay|stands?|stood|flows?|flowed|located|situated)\b", re.I
)
_ELLIPSIS = re.compile(r"^(?:and|but|so|ok|okay)?[\s,]*(?:(?:what|how)\s+about|and)\s+", re.I)
_ASKS = re.compile(r"(?:who|whom|whose|what|when|where|which|how|why)\b", re.I)
_PREPOSITION = r"(?i:on|in|at|by|for|from|of|to|with)"
_BARE = re.compile(
    rf"^(?:and|but|so|ok|okay)?[\s,]*"
    rf"(when|where|(?:which|what)\s(?:year|place)"
    rf"|{_PREPOSITION}\s(?:whom|(?:which|what)\s[a-z]{{2,20}}))[\s?.!]*$",
    re.I,
)
_ANOTHER_THING = re.compile(
    r"(?:the|our|a|an)\s(?:[a-z][\w-]{1,30}\s){0,3}(?P<noun>[a-z][\w-]{1,30})"
)
_WHO_DID = re.compile(
    r"^(?:who|which\s[a-z]{2,20})\s(?P<did>\w{2,20}ed|built|made|held)\s(?P<what>.{2,200}?)[\s?.!]*$",
    re.I,
)
# "When was the inn opened?", "Which school did she found?": it was that which the answer names.
_ASKED_WITH = re.compile(
    rf"^(?:(?P<by>when|where|what\stime|{_PREPOSITION}\s(?:whom|(?:which|what)\s[a-z]{{2,20}}))"
    r"|what|(?:which|what)\s[a-z]{2,20})\s"
    r"(?P<rest>(?P<helper>is|are|was|were|will|do|does|did)\s.{2,200}?)[\s?.!]*$",
    re.I,
)
_IS_DONE = re.compile(
    r"^(?:is|are|was|were)\s(?P<what>.+)\s(?P<did>\w{2,20}ed|built|made|held)$", re.I
)
_AT_END = r"(?:(?:the|our|an?)\s)?[a-z][\w-]{1,30}(?=[\s?.!]*$)"
_ASKS_FOR_ROLE = re.compile(r"^who(?:\s(?:is|was|are|were)|['’]s)\s(?:the|our)\s", re.I)
_ASKS_FOR_PROPERTY = re.compile(r"^what(?:\s(?:is|was|are|were)|['’]s)\sthe\s[\w-]+[\s?.!]*$", re.I)
_THE_OTHER = re.compile(r"the\sother(?:\sone)?", re.I)
_CHOICE = re.compile(r"\s(?:or|and)\s")
_THAT = re.compile(
    r"^(?:and\s)?(?P<asked>who|what|when|where|how\s\w{2,10})(?:\s(?:is|was|are|were)|['’]s)\s"
    r"(?P<that>that|this)[\s?.!]*$",
    re.I,
)
_WHEN_WAS = re.compile(r"^(?:and\s)?when\swas\s", re.I)
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s(?:{MONTHS})(?:\s\d{{4}})?|(?:{WEEKDAYS})s?)"
_TIME = rf"(?:in|for|on)\s(?:{_DAY}|(?:(?:{MONTHS}|spring|summer|autumn|winter)\s)?\d{{4}})"
_AT_ANOTHER_TIME = re.compile(
    rf"^(?:and|but|so|ok|okay)?[\s,]*(?:(?:what|how)\sabout\s|what\s(?:is|was|were)\s(?:it|that)\s)?"
    rf"(?P<when>{_TIME})[\s?.!]*$",
    re.I,
)
_TIME_BEHIND = re.compile(rf"\s{_TIME}(?=[\s?.!]*$)", re.I)
_FEWEST_WORDS = 2  # of content, in a question that tells what it is about
_NEAR_TURNS = 4


@dataclass(frozen=True, slots=True)
class Understood:
    """A question as it reads alone; `unclear` is a reference that nothing said before can mean."""

    question: str
    unclear: str = ""


async def resolve_follow_up(
    question: str, history: Sequence[Turn], sources: Sources | None = None
) -> Understood:
    """Return the question with what it leaves unsaid taken from the conversation.

    A reference stands for the newest thing of its kind: she for a woman, it for a thing, there for
    a place, "that town" for a town, among the last answer, what its trail names and what its
    question names, else those of the turn before; "it" for the one of which the base tells what is
    asked, where it does of one. An answer that was given with reserve comes behind what its
    question names, unless the base calls it by the noun that was asked for; so does that of "Where
    is the party?", of which "it" is the party. What nothing said before can mean stays as typed,
    and is told.

    A question that names things itself and refers to none stays as it is, and so does one that says
    in two words or more what it is about: "Who is the head coach?" is no less clear in a
    conversation. "Who is the bosun?" is one of a ship or work that the last question named, else
    none that the conversation tells. "Why?" and "Where does it say that?" ask the last question
    once more: its answer comes with the trail that tells why.

    Args:
        question: As typed.
        history: What was said before.
        sources: Tell kinds of things and trails; without them the wording of the turns has to.
    """
    turns = [turn for turn in history if not is_remark(turn.question)]
    if not turns:
        return Understood(question)
    if asks_why(question) or asks_for_source(question):
        last = turns[-1]
        if last.standalone:
            return Understood(last.standalone)
        return await resolve_follow_up(last.question, turns[:-1], sources)
    things = SpokenThings(turns, sources)
    if that := _THAT.match(question):
        if _WHEN_WAS.match(question) and (told := _of_last_question("when", turns[-1])):
            return Understood(told)
        referent = await _referent(_reference_of_that(that), things, question)
        if referent:
            return Understood(f"{question[: that.start('that')]}{referent}?")
    if timed := _AT_ANOTHER_TIME.match(question):
        return Understood(_of_another_time(timed["when"], turns) or question)
    if (rest := _left_out(question)) is not None and _THE_OTHER.fullmatch(rest):
        other = _other_of_two(turns)
        swapped = _swap_name(other, turns) if other else None
        return Understood(swapped or question, "" if swapped else rest)
    if references := references_in(question):
        understood = await _with_referents(question, references, things)
        is_told = understood.question != question or any(one.is_certain for one in references)
        if is_told:
            return understood
    return Understood(await _filled_in(question, rest or "", things))


def _left_out(question: str) -> str | None:
    """Return what follows "and" or "what about" where that is no question of its own."""
    ellipsis = _ELLIPSIS.match(question)
    rest = question[ellipsis.end() :].strip(" ?.!") if ellipsis else ""
    return rest if rest and not _ASKS.match(rest) else None


async def _filled_in(question: str, rest: str, things: SpokenThings) -> str:
    """Return a question that refers to nothing with what it leaves out."""
    turns = things.turns
    own_names = proper_names(question)
    if own_names and 0 < len(rest.split()) <= MAX_NAME_WORDS:
        return _swap_name(rest, turns) or question
    if rest and (told := _of_another_thing(rest, turns)):
        return told
    bare = _BARE.match(question)
    if bare and (told := _of_last_question(bare[1], turns[-1])):
        return told
    # "When is the concert?" asks of no other thing.
    is_of_thing = WHERE_IS.match(question) and topic_span(question)
    is_told = bool(is_of_thing) or len(content_words(question)) >= _FEWEST_WORDS
    is_told = is_told and not _ELLIPSIS.match(question)
    if own_names or is_told:
        return question
    asks_for_role = _ASKS_FOR_ROLE.match(question) is not None
    any_thing = Reference("any", "", 0, 0)
    referent = (
        _with_roles(turns[-1]) if asks_for_role else await _referent(any_thing, things, question)
    )
    joint = " of" if asks_for_role or _ASKS_FOR_PROPERTY.match(question) else ", regarding"
    return f"{question.rstrip(' ?.!')}{joint} {referent}?" if referent else question


async def _with_referents(
    question: str, references: Sequence[Reference], things: SpokenThings
) -> Understood:
    """Return the question with names for its references, and the first that stands for none."""
    unclear = ""
    for reference in reversed(references):
        referent = None
        if reference.kind == "thing" and _OF_ITS_PLACE.match(question, reference.end):
            as_place = replace(reference, kind="place")
            referent = await _referent(as_place, things, question, least=2)
        referent = referent or await _referent(reference, things, question)
        if referent is not None and _spells(question[reference.start :], referent):
            continue  # "the corner bakery" is a name in small letters
        if referent is not None:
            question = reference.put(question, referent)
        elif reference.is_certain:
            unclear = reference.text
    return Understood(question, unclear)


def _spells(text: str, name: str) -> bool:
    """Return whether a text begins with a name, whatever its letters and article."""
    return f"{name_key(text)} ".startswith(f"{name_key(name)} ")


async def _referent(
    reference: Reference, things: SpokenThings, question: str, least: int = 1
) -> str | None:
    """Return the name of what a reference stands for, None where nothing of its kind was named.

    Args:
        reference: The words.
        things: What was named.
        question: That they stand in.
        least: The fit that is asked for.
    """
    focus = focus_of(question)  # "how many" is in no sentence that tells how many
    asked = word_groups(f"{question[: focus.start]} {question[focus.end :]}")
    if reference.kind == "other":
        return _other_of_two(things.turns)
    by_kind = reference.kind in {"noun", "place"}
    perhaps: Thing | None = None
    seen = 0
    async for of_turn in things.of_turns():
        best = _best(reference, of_turn, asked)
        if best is not None:
            if not by_kind or fit(reference, best) == 2:
                return _name_of(best, reference, things.turns[-1 - seen])
            # What may be of the kind stands behind what is known to be, and was just said.
            perhaps = best if best.is_of_last_turn else perhaps
        seen += 1
        if reference.is_near and seen == _NEAR_TURNS:
            break
    is_enough = perhaps is not None and least == 1 and reference.is_certain
    return _name_of(perhaps, reference, things.turns[-1]) if perhaps and is_enough else None


def _best(reference: Reference, things: Sequence[Thing], asked: frozenset[str]) -> Thing | None:
    """Return the thing of a turn that fits best, the first of several.

    "It" is the one of which a sentence has the words asked for, where one does: after "On which
    river is Aldbury?" a question for "its inhabitants" means the village.
    """
    if reference.kind in {"thing", "any"}:  # what the question named comes before the way to it
        things = sorted(things, key=lambda one: one.part == "trail")
    elif reference.kind == "person":
        things = sorted(things, key=lambda one: one.part == "topic")
    by_text = asked if reference.kind == "thing" else frozenset[str]()

    def rank(thing: Thing) -> tuple[int, bool]:
        is_told = bool(by_text) and any(by_text <= sentence for sentence in thing.told)
        return fit(reference, thing), is_told

    best = max(things, key=rank, default=None)
    return best if best is not None and fit(reference, best) else None


def _name_of(thing: Thing, reference: Reference, turn: Turn) -> str:
    if reference.kind == "any" and "answer" in thing.part and is_name(turn.answer):
        return turn.answer.strip()  # "they" are all that it lists
    year = _YEAR.search(thing.name) if reference.noun == "year" else None
    return year.group() if year else thing.name


def _reference_of_that(match: re.Match[str]) -> Reference:
    """Return what "that" refers to by what is asked of it: "Who is that?" asks of a person."""
    kinds: dict[str, ReferenceKind] = {"who": "person", "what": "any", "where": "place"}
    kind = kinds.get(match["asked"].lower(), "thing")
    return Reference(kind, match["that"], *match.span("that"))


def _of_last_question(asked: str, last: Turn) -> str | None:
    """Return "When was Red Fern directed?" for "And when?" behind "Who directed Red Fern?".

    Behind "Where is the party?" it is "When is the party?", behind "Which school did she found?"
    "When did she found Oak School?", and "By whom?" behind "When was it opened?" "Who opened it?".
    """
    question = last.whole_question.strip()
    if done := _WHO_DID.match(question):
        return f"{asked.capitalize()} was {done['what']} {done['did']}?"
    if (before := _ASKED_WITH.match(question)) is None:
        return None
    rest = before["rest"]
    done = _IS_DONE.match(rest)
    if done and asked.lower() == "by whom":
        return f"Who {done['did']} {done['what']}?"
    if before["by"]:
        return f"{asked.capitalize()} {rest}?"
    is_doing = before["helper"].lower() in {"do", "does", "did"} and is_name(last.answer)
    return f"{asked.capitalize()} {rest} {last.answer.strip()}?" if is_doing else None


def _of_another_thing(rest: str, history: Sequence[Turn]) -> str | None:
    """Return the last question with "the dryer" for its thing, for "And the dryer?" behind it.

    So is "And the bosun?" behind "Who is the captain?", and "And for juniors?" behind a question
    that ends with "for adults"; "And the price?" asks of the same thing instead.
    """
    last = next(_whole_questions(history), "")
    if phrase := re.match(rf"{_PREPOSITION}\s", rest):
        like = re.search(rf"\b{phrase.group()}{_AT_END}", last, re.I)
        return f"{last[: like.start()]}{rest}{last[like.end() :]}" if like else None
    named = _ANOTHER_THING.fullmatch(rest)
    asks_for_role = _ASKS_FOR_ROLE.match(last) is not None
    if named is None or type_of_noun(named["noun"]) is not None:
        return None
    if not asks_for_role and focus_of(last).answer_type not in {"number", "date"}:
        return None
    at_end = re.search(rf"\b(?=(?:the|our|an?)\s){_AT_END}", last)
    span = topic_span(last) or (at_end.span() if at_end else None)
    return f"{last[: span[0]]}{named.group()}{last[span[1] :]}" if span else None


def _of_another_time(when: str, history: Sequence[Turn]) -> str | None:
    """Return "What does it cost in 2024?" for "And in 2024?" behind "What does it cost?"."""
    last = next(_whole_questions(history), "").rstrip(" ?.!")
    return f"{_TIME_BEHIND.sub('', last)} {when[0].lower()}{when[1:]}?" if last else None


def _whole_questions(history: Sequence[Turn]) -> Iterator[str]:
    """Yield the questions that tell what they ask, the latest first: not "And the dryer?"."""
    for turn in reversed(history):
        if turn.standalone or not _ELLIPSIS.match(turn.question):
            yield turn.whole_question


def _with_roles(last: Turn) -> str | None:
    """Return the ship, work or firm that the last question names: it may have a bosun or producer.

    It is named with an article, or is what someone made: "the Morning Tern", "Who wrote Red Fern?".
    """
    question = last.whole_question
    names = proper_names(question)
    done = _WHO_DID.match(question.strip())
    made = names and done is not None and done["what"].startswith(names[0])
    if names and (with_article := f"the {names[0]}") in question:
        return with_article
    return names[0] if made else None


def _other_of_two(history: Sequence[Turn]) -> str | None:
    """Return the one of two that was not spoken of last.

    Two are listed by an answer, or by a question that lets choose between them.
    """
    for number in range(len(history) - 1, -1, -1):
        turn = history[number]
        for two in (listed_names(turn.answer), _choice(turn.whole_question)):
            if len(two) != 2:
                continue
            later = [
                text for one in history[number + 1 :] for text in (one.whole_question, one.answer)
            ]
            is_choice = two != listed_names(turn.answer)
            spoken = [*([turn.answer] if is_choice else [turn.whole_question]), *later]
            last = [_last_named(two, text) for text in spoken]
            named = [one for one in last if one is not None]
            if named:
                return two[1 - two.index(named[-1])]
    return None


def _choice(question: str) -> list[str]:
    """Return the two names between which a question lets choose."""
    names = proper_names(question)[-2:]
    if len(names) != 2:
        return []
    between = question[question.find(names[0]) + len(names[0]) : question.rfind(names[1])]
    return names if _CHOICE.match(between) else []


def _last_named(two: Sequence[str], text: str) -> str | None:
    """Return which of two names a text has, None where it has both or none."""
    key = f" {name_key(text)} "
    named = [one for one in two if f" {name_key(one)} " in key]
    return named[0] if len(named) == 1 else None


def _swap_name(name: str, history: Sequence[Turn]) -> str | None:
    """Return the last whole question that names someone or something, with another name for it.

    "Colm's" stands for "her" as it does for "Ann's": the name is put there without its ending. "On
    Saturday" stands for "on Thursday" and not for "Thursday".
    """
    bare = _POSSESSIVE_ENDING.sub("", name)
    before = rf"(?:\b{_PREPOSITION}\s)?" if re.match(rf"{_PREPOSITION}\s", bare) else ""
    bare = bare[:1].lower() + bare[1:] if before else bare
    for question in _whole_questions(history):
        if names := proper_names(question):
            if f"{names[0]}'s" in question:  # "And of Varde?" behind "What is Askar's capital?"
                bare, before = re.sub(rf"^{_PREPOSITION}\s", "", bare), ""
            place = rf"{before}(?:\bthe\s)?{re.escape(names[0])}"
            found = re.search(place, question)
            return f"{question[: found.start()]}{bare}{question[found.end() :]}" if found else None
        if references := [one for one in references_in(question) if one.kind != "noun"]:
            return references[0].put(question, bare)
    return None
