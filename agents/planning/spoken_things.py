"""The things that a conversation has named, the newest first, and what kind each is of."""

from __future__ import annotations

import asyncio
import re
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from hoptrail.agents.language.answer_types import AnswerType, focus_of, singular, type_of_noun
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.language.mentions import KnownNames, find_mentions, has_date, kind_of
from hoptrail.agents.language.sentence_grammar import HELPERS, IRREGULAR_VERBS, SentenceGrammar
from hoptrail.agents.planning.person_names import is_person, is_placed, may_be_person
from hoptrail.agents.planning.thing_kinds import PERSONAL_PRONOUN, SEX_OF_WORD, Sex, ThingKinds
from hoptrail.agents.planning.turns import Turn
from hoptrail.core.reply_conventions import is_abstention
from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Entity

Part = Literal["answer", "trail", "question", "topic", "doubtful answer"]
"""Where a turn names a thing; its topic is "the camp" of a question without names."""

MAX_NAME_WORDS = 8
_MOST_OF_TRAIL = 8
_PASSAGES = 10  # that tell what a thing is
_MOST_UPPER = 3  # words in capitals, of a name
_NO_NAMES = KnownNames(())
_OF_A_LIST = re.compile(r"\s?[,;]\s?(?:and\s)?|\sand\s")
# The name of one person as lists of persons are sorted, for several answers have ";" between.
_INVERTED = re.compile(r"(?P<family>[A-Z][\w'’-]{1,30}), (?P<given>[A-Z][\w'’-]{1,30})")
_WHAT_DOES = re.compile(r"\W{0,3}(?:and\s)?what\s(?:do|does|did|has|have|had)\b", re.I)
# What a question without names is about: "What does the camp cost?"
_TOPIC = re.compile(
    r"\b(?P<helper>does|do|did|is|are|was|were|[Ww]ho\s[a-z]{2,20})\s"
    r"(?P<thing>(?:the|our|an?)\s\w[\w-]{1,30}(?:\s\w[\w-]{1,30}){0,3}?)"
    r"(?=\s(?:cost|take|last|weigh|begin|start|end|open|close|run|of|in|at|on|for|to|from|by|with|that"
    r"|who|which|held|built|made|sold|bought|paid)\b|\s?[?.!]{0,3}$)"
)
_OF_THING = re.compile(r"\sof\s(?P<thing>(?:the|our)\s[\w-]{1,30}(?:\s[\w-]{1,30})?)[\s?.!]*$")
_ASKS_FOR_VALUE = re.compile(r"^(?:what(?:\s(?:is|was|are|were)|['’]s)|how\smuch\s\w+)\s$", re.I)
WHERE_IS = re.compile(
    r"^(?:when|where|what\stime)\s(?P<rest>(?:is|are|was|were|will|do|does|did)\s.{2,200}?)[\s?.!]*$",
    re.I,
)
"""Matches a question for the time or place of something."""
_BEFORE_LOCATED = re.compile(r"^(?:when|where|what\stime)\s\w{2,4}\s(?:the\s)?$", re.I)
_DATED = re.compile(r"\s(?:in|on|since|from|until)\s\S")
# "Double kayak", the name of a row: its first word alone is none.
_OPENS_ROW = re.compile(r"[A-Z][a-z]{1,30}\s(?!(?:of|in|at|for|and|to)\b)[a-z][a-z -]{1,60}")


class Step(Protocol):
    """One step of a trail, whether drafted or checked."""

    @property
    def subject(self) -> str:
        """The end that it tells of."""
        ...

    @property
    def object(self) -> str:
        """The end that it tells."""
        ...


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that a turn names.

    Attributes:
        name: As it stands there.
        part: Where.
        type: By the wording of the turn or by what the base tells, None where neither does.
        nouns: What it is called by.
        is_known: Whether the base, not only the wording, tells its type or nouns.
        is_of_asked_kind: Whether the base calls it by the noun that the question asked for.
        sex: Of a person, where it is told.
        may_be_person: Whether the wording allows that it is one.
        is_of_last_turn: Whether the newest turn names it.
        told: The word groups of each sentence that the base has about it.
    """

    name: str
    part: Part
    type: AnswerType | None = None
    nouns: frozenset[str] = frozenset()
    is_known: bool = False
    is_of_asked_kind: bool = False
    sex: Sex | None = None
    may_be_person: bool = False
    is_of_last_turn: bool = False
    told: tuple[frozenset[str], ...] = ()

    @property
    def words(self) -> frozenset[str]:
        """The common nouns that it is called by, and the words of its name."""
        return self.nouns | {singular(word) for word in name_key(self.name).split()}


@dataclass(frozen=True, slots=True)
class Sources:
    """The ways to ask the knowledge base about a conversation.

    Attributes:
        passages: Returns the passages with the words of a text, so many at most.
        entities: Returns the entities of the graph that bear a name.
        trail: Returns what the steps from a question to its answer name, the last step first.
    """

    passages: Callable[[str, int], Awaitable[Sequence[Chunk]]]
    entities: Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[Entity]]]]
    trail: Callable[[str, str], Awaitable[tuple[str, ...]]]


@dataclass(slots=True)
class SpokenThings:
    """Reads the things of turns one turn after the other, as far back as they are wanted."""

    turns: Sequence[Turn]
    sources: Sources | None = None
    _read: dict[int, list[Thing]] = field(default_factory=dict)

    async def of_turns(self) -> AsyncIterator[list[Thing]]:
        """Yield the things of each turn, the newest turn first."""
        for number in range(len(self.turns) - 1, -1, -1):
            if number not in self._read:
                self._read[number] = await self._things_of(number)
            yield self._read[number]

    async def _things_of(self, number: int) -> list[Thing]:
        turn = self.turns[number]
        things = [self._as_asked_for(thing) for thing in _named(turn)]
        if self.sources is not None:
            trail = turn.trail
            if trail is None and turn.answer and not is_abstention(turn.answer):
                trail = await self.sources.trail(turn.whole_question, turn.answer)
            named = {name_key(thing.name) for thing in things}
            of_trail = [one for one in trail or () if name_key(one) not in named]
            at = next((i for i, one in enumerate(things) if one.part != "answer"), len(things))
            things[at:at] = [_thing(name, "trail") for name in of_trail[:_MOST_OF_TRAIL]]
            things = await self._with_kinds(things, self.sources)
            # An answer of the kind that was asked for is what was asked for, also with reserve.
            things.sort(key=lambda one: one.part != "doubtful answer" or not one.is_of_asked_kind)
            is_first = bool(things) and things[0].part == "question"
            if is_first and things[0].type == "place" and any(x.part == "answer" for x in things):
                things.append(things.pop(0))  # of the river and where it ends the end is newer
        is_last = number == len(self.turns) - 1
        sexes = _sexes_told(self.turns)
        return [
            replace(one, is_of_last_turn=is_last, sex=one.sex or sexes.get(name_key(one.name)))
            for one in things
        ]

    def _as_asked_for(self, thing: Thing) -> Thing:
        """Return a thing with the type and noun by which an earlier question asked for it."""
        if thing.type is not None:
            return thing
        answers = (one for turn in self.turns for one in _of_answer(turn))
        asked = next((one for one in answers if one.name == thing.name and one.type), None)
        if asked is None:
            return thing
        return replace(thing, type=asked.type, nouns=thing.nouns | asked.nouns)

    async def _with_kinds(self, things: list[Thing], sources: Sources) -> list[Thing]:
        names = [one.name for one in things if one.type not in {"date", "number"}]
        found = await asyncio.gather(*(sources.passages(name, _PASSAGES) for name in names))
        entities = await sources.entities(names) if names else {}
        kinds = await asyncio.to_thread(
            ThingKinds,
            [chunk for chunks in found for chunk in chunks],
            [entity for known in entities.values() for entity in known],
        )
        return [_with_kind(thing, kinds) for thing in things]


def is_name(answer: str) -> bool:
    """Return whether a text names one thing: no sentence, date, amount, yes or no."""
    words = answer.split()
    return (
        0 < len(words) <= MAX_NAME_WORDS
        and not answer.strip()[0].islower()
        and answer.strip().lower() not in {"yes", "no"}
        and not is_abstention(answer)
        and not re.fullmatch(r"[\W\d]*", answer)
        and kind_of(answer) not in {"date", "number"}
        and not (has_date(answer) and _DATED.search(answer))  # "Ann Reed in 1971"
    )


def listed_names(text: str) -> list[str]:
    """Return the names that a text lists."""
    return [one.strip() for one in _OF_A_LIST.split(text) if is_name(one)]


def names_of_steps(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the names and dates at the ends of steps, the last step first, each once."""
    names: list[str] = []
    for end in (end for step in reversed(steps) for end in (step.object, step.subject)):
        dates = [one.text for one in find_mentions(end, _NO_NAMES) if one.kind == "date"]
        names += [*_names_in_end(end), *dates]
    return tuple(dict.fromkeys(names))[:_MOST_OF_TRAIL]


def _names_in_end(end: str) -> list[str]:
    """Return the names at the end of a step, which may begin with a word that is none."""
    own = [] if _is_heading(end) else proper_names(end)
    if own and _OPENS_ROW.fullmatch(end):
        own = own[1:]
    return [end] if is_name(end) and end.removeprefix("The ") in own else own


def _named(turn: Turn) -> Iterator[Thing]:
    """Yield what the words of a turn name, without its trail."""
    question = turn.whole_question
    names = proper_names(question)
    answers = list(_of_answer(turn))
    about = list(_topics(question, answers))
    if WHERE_IS.match(question):  # "Where is the party?": "it" is the party
        yield from about
        for name in names[: not about]:
            start = question.find(name)
            is_thing = not is_person(question, start, start + len(name))
            if is_thing and _BEFORE_LOCATED.match(question[:start]):
                yield _thing(name, "question")
                names = names[1:]
        about = []
    if not turn.perhaps:
        yield from answers
    for name in names:
        thing = replace(_thing(name, "question"), may_be_person=may_be_person(question, name))
        yield replace(thing, type="place") if is_placed(question, name) else thing
    for mention in find_mentions(question, _NO_NAMES):
        if mention.kind == "date":
            yield Thing(mention.text, "question", "date")
    yield from about
    if turn.perhaps:
        yield from (replace(one, part="doubtful answer") for one in answers)


def topic_span(question: str) -> tuple[int, int] | None:
    """Return where a question without names has what it is about: "the camp" of its cost.

    The verb behind it is no part of it: "the boathouse" in "When was the boathouse last rebuilt?".
    """
    match = _TOPIC.search(question)
    if match is None:
        return None
    start, end = match.span("thing")
    grammar = SentenceGrammar(question)
    places = grammar.tokens_in(start, end)
    is_at_end = not question[end:].strip(" ?.!")
    size = len(places)
    if is_at_end and size > 2 and match["helper"] in {"does", "do", "did"}:
        size -= 1
    while size > 2 and _is_behind_thing(grammar, places[size - 1]):
        size -= 1
    last = grammar.tokens[places[size - 1]]
    return None if last.text[0].isupper() else (start, last.end)


def _is_behind_thing(grammar: SentenceGrammar, place: int) -> bool:
    word = grammar.low(place)
    is_verb = grammar.is_verb(place) or word.removeprefix("re") in IRREGULAR_VERBS
    return is_verb or word in HELPERS or word == "last"


def _topics(question: str, answers: Sequence[Thing]) -> Iterator[Thing]:
    """Yield what a question without names is about: not "the fee", but what it is paid for."""
    span = topic_span(question)
    if span is None:
        return
    owner = _OF_THING.match(question, span[1])
    is_value = any(one.type in {"date", "number"} for one in answers)
    is_value = is_value and _ASKS_FOR_VALUE.match(question[: span[0]]) is not None
    if is_value and owner:
        yield _thing(owner["thing"], "topic")
    elif not is_value or question[: span[0]].lower().startswith("how"):
        topic = _thing(question[slice(*span)], "topic")
        yield replace(topic, type="person") if is_person(question, *span) else topic


def _sexes_told(turns: Sequence[Turn]) -> dict[str, Sex]:
    """Return the sex of those whom the asker called "he" or "she", by their names' keys."""
    told: dict[str, Sex] = {}
    for turn in turns:
        pronoun = PERSONAL_PRONOUN.search(turn.question)
        if pronoun is None or not turn.standalone.startswith(turn.question[: pronoun.start()]):
            continue
        rest = turn.standalone[pronoun.start() :]
        for name in proper_names(rest)[:1]:
            if rest.startswith(name):
                told[name_key(name)] = SEX_OF_WORD[pronoun[1].lower()]
    return told


def _of_answer(turn: Turn) -> Iterator[Thing]:
    answer, focus = turn.answer.strip(), focus_of(turn.whole_question)
    if not answer or is_abstention(answer):
        return
    kind = kind_of(answer)
    if kind in {"date", "number"}:
        yield Thing(answer, "answer", "date" if kind == "date" else "number")
        return
    is_of_person = type_of_noun(focus.noun) in {"person", None} and not _WHAT_DOES.match(
        turn.question
    )
    inverted = _INVERTED.fullmatch(answer) if focus.answer_type == "person" else None
    names = [f"{inverted['given']} {inverted['family']}"] if inverted else _names_in(answer)
    # What is asked for by a noun is of its kind: "In which town ...?"
    is_open = focus.answer_type in {"other", "yes_no"} or has_date(answer)
    asked = None if is_open else focus.answer_type
    nouns = frozenset({singular(focus.noun)}) if focus.noun else frozenset[str]()
    for name in names:
        may_be = is_of_person and asked in {"person", None} and may_be_person(name, name)
        yield Thing(name, "answer", asked, nouns, may_be_person=may_be)


def _names_in(text: str) -> list[str]:
    """Return the names in an answer or at the end of a step; one that is a name is one."""
    listed = listed_names(text)
    if _is_heading(text):
        return []
    if "," in text and len(listed) < text.count(",") + 1:
        return proper_names(text)  # "Ann Reed, of Varde"
    if len(listed) > 1:
        return listed
    return [text] if is_name(text) else proper_names(text)


def _is_heading(text: str) -> bool:
    """Return whether a text is the heading of a document rather than a name."""
    return text.isupper() and len(text.split()) > _MOST_UPPER


def _thing(name: str, part: Part) -> Thing:
    kind = kind_of(name)
    return Thing(name, part, kind if kind == "date" or kind == "number" else None)  # noqa: PLR1714


def _with_kind(thing: Thing, kinds: ThingKinds) -> Thing:
    if thing.type in {"date", "number"}:
        return thing
    type_, nouns = kinds.type_of(thing.name), kinds.nouns(thing.name)
    return replace(
        thing,
        type=type_ or thing.type,
        nouns=thing.nouns | nouns if type_ in {None, thing.type} or thing.type is None else nouns,
        is_known=bool(type_ or nouns),
        is_of_asked_kind=not thing.nouns.isdisjoint(nouns),
        sex=kinds.sex_of(thing.name),
        told=kinds.told_of(thing.name),
    )
