"""Words that stand for something said before (she, it, there, that town), and what fits them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hoptrail.agents.language.answer_types import focus_of, singular, type_of_noun
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.agents.planning.spoken_things import Thing
from hoptrail.core.text import STOP_WORDS, name_key

ReferenceKind = Literal["person", "thing", "any", "place", "noun", "other"]

_PRONOUN_KINDS: tuple[ReferenceKind, ...] = ("person", "any", "thing", "place", "other")

_REFERENCE = re.compile(
    r"""\b(?:(?P<person>he|she|him|his|hers?|himself|herself)
    |(?P<any>they|them|their|theirs|(?:that|this|the\s+same|said)\s+one)
    |(?P<thing>its?|itself)
    |(?P<place>there)(?!\s+(?:is|are|was|were|any|been|a|an)\b)
    |(?P<other>the\s+other(?:\s+one|\s+(?P<others>[a-z]{3,20}))?)
    |(?P<pointer>that|this|those|these|the\s+same|said|the)\s+(?P<noun>(?-i:[a-z])[\w-]{1,30})
    )\b(?P<possessive>['’]s\b)?""",
    re.IGNORECASE | re.VERBOSE,
)
_MOST_REFERENCES = 20  # a text with more tells its own story
_POSSESSIVE = frozenset({"his", "its", "their"})
# Before any other small word "her" is the object: "Who chose her as surveyor?"
_QUALIFIES_NOUN = frozenset("few most only other own same very".split())
_CLAUSE = re.compile(r"\b(?:and|but|or|then|when|where|who|that|which|because|if)\b|[,;]", re.I)
_EXPLETIVE = re.compile(
    r"^(?:is|was|what\s+time\s+is)\s+it\s+(?:true|that|possible|correct)\b"
    # "What does it cost to have a cat vaccinated?"
    r"|\b(?:does|did|will|would)\s+it\s+(?:cost|take|need)\s(?:[a-z]+\s){0,4}?to\s[a-z]",
    re.I,
)
_COMMON_NOUN = re.compile(r"(?<![\w'’])[a-z]{3,20}(?!\w)")
# "Whom do owners reach when they ring?", "Who put their name to it?"
_DOERS = re.compile(r"\b(?:do|did|are|were|have|can|must)\s(?:the\s)?[a-z]{2,20}s\s", re.I)
_WHO = re.compile(r"\W{0,3}(?:and\s)?who\s(?!(?:is|was|are|were)\s)", re.I)
_OBJECTS = frozenset(("him", "her"))
# "This year" is that of the asker.
_OF_NOW = frozenset("year month week day morning evening afternoon season time".split())
_TOLD_OF = re.compile(
    r"\s(?:of|that|which|who|whose|where|in|at|on|for|from|with|to|near|by)\b", re.I
)
_TOLD_LATER = re.compile(r"\s(?:who|which|that)\s", re.I)
_IS_THE = re.compile(r"\b(?:who|what|which)(?:\s(?:is|are|was|were)|['’]s)\s$", re.IGNORECASE)
_MEASURED = re.compile(r"\s(?:is|are|was|were)\sthe\s", re.I)  # "How long is the river?"
# Behind these "that" is no clause's beginning: "When did that comet return?"
_BEFORE_NOUN = re.compile(
    r"\b(?:did|does|do|is|was|are|were|has|had|have|will|can|could|would|in|on|at|of|for|from|by|with"
    r"|to|near|about)\s$",
    re.IGNORECASE,
)
_BEHIND_PREPOSITION = re.compile(r"\b(?:in|on|at|of|for|from|by|since|until|before|after)\s$", re.I)
_MEN = frozenset("he him his himself".split())
_WOMEN = frozenset("she her hers herself".split())

Fit = Literal[0, 1, 2]
"""0: it is none. 1: nothing speaks against it. 2: it is known to be one."""

_ALIKE = tuple(
    frozenset(nouns.split())
    for nouns in (
        "town city village place birthplace hometown capital municipality",
        "firm company business corporation supplier manufacturer",
        "film movie",
        "ship boat vessel steamer",
        "yard shipyard",
        "building house hall theatre tower lighthouse museum church castle palace",
        "organisation organization",
        "person man woman",
    )
)
_VALUES = frozenset({"date", "number"})


@dataclass(frozen=True, slots=True)
class Reference:
    """A word or two of a question that stand for something said before.

    Attributes:
        kind: What they can stand for; "noun" is whatever is called by `noun`.
        text: As typed.
        start: Where they begin in the question.
        end: Where they end.
        noun: Common noun in "that town"; "man" and "woman" for he and she.
        is_possessive: Whether they stand for the thing's name with an ending.
        is_certain: Whether they refer to something for certain. "The yard" may be known without,
            and "that delivers" may be no noun.
        is_near: Whether what they stand for was just named: "the yard", unlike "that yard".
    """

    kind: ReferenceKind
    text: str
    start: int
    end: int
    noun: str = ""
    is_possessive: bool = False
    is_certain: bool = True
    is_near: bool = False

    def put(self, question: str, name: str) -> str:
        """Return the question with a name in this place, in the form that stands there."""
        if self.is_possessive:
            name += "'" if name.endswith("s") else "'s"
        elif self.kind == "place" and self.text.lower() == "there":
            name = f"in {name}"
        elif type_of_noun(self.noun) == "date" and not _BEHIND_PREPOSITION.search(
            question[: self.start]
        ):
            name = f"{'in' if name.isdigit() else 'on'} {name}"  # "What happened that year?"
        return question[: self.start] + name + question[self.end :]


def references_in(question: str) -> list[Reference]:
    """Return what a question leaves to what was said before, in order."""
    if _EXPLETIVE.search(question):
        return []
    matches = list(_REFERENCE.finditer(question))
    if len(matches) > _MOST_REFERENCES:
        return []
    found = (_reference(question, match) for match in matches)
    return [one for one in found if one is not None]


def _reference(question: str, match: re.Match[str]) -> Reference | None:
    """Return what a match refers by, None where it tells for itself what it means."""
    if match["pointer"]:
        return _by_noun(question, match)
    kinds: list[ReferenceKind] = [kind for kind in _PRONOUN_KINDS if match[kind]]
    kind = kinds[0]
    is_possessive = _is_possessive(question, match)
    if _is_own(question, match, kind, is_possessive=is_possessive):
        return None
    word = match.group().lower()
    noun = "man" if word in _MEN else "woman" if word in _WOMEN else ""
    if kind == "other" and match["others"]:
        noun = singular(match["others"].lower())
    return Reference(
        kind,
        match.group(),
        *match.span(),
        noun,
        is_possessive,
        is_certain=kind != "other" or noun == "",
    )


def _by_noun(question: str, match: re.Match[str]) -> Reference | None:
    noun, pointer = singular(match["noun"].lower()), match["pointer"].lower()
    is_article = pointer == "the"
    if is_article and not _may_be_near(question, match, noun):
        return None
    if pointer == "this" and noun in _OF_NOW:
        return None
    if pointer.endswith("same") and proper_names(question):
        return None  # "Were Ann Lee and Bo Reed born in the same town?"
    is_noun = type_of_noun(noun) is not None or _BEFORE_NOUN.search(question[: match.start()])
    is_certain = not is_article and bool(is_noun)
    return Reference(
        "noun",
        match.group(),
        *match.span(),
        noun,
        bool(match["possessive"]),
        is_certain,
        is_article,
    )


def _may_be_near(question: str, match: re.Match[str], noun: str) -> bool:
    """Return whether "the yard" may be one that was just named.

    It is not where the question says which one, names another thing, or asks for it.
    """
    focus = focus_of(question)
    is_asked = noun == singular(focus.noun) and not _MEASURED.match(question, focus.end)
    if proper_names(question) or is_asked:
        return False
    is_told = _TOLD_OF.match(question, match.end()) or _IS_THE.search(question[: match.start()])
    return not (is_told or _TOLD_LATER.search(question, match.end()))


def _is_own(
    question: str, pronoun: re.Match[str], kind: ReferenceKind, *, is_possessive: bool
) -> bool:
    """Return whether a pronoun stands for what its own question names before it.

    So does "her" in "the Kittiwake after her accident" and "he" in "the heir before he came"; "it"
    in "When did Ann Lee find it?" does not.
    """
    before = question[: pronoun.start()]
    if names := proper_names(before):
        after_name = before[before.rfind(names[-1]) + len(names[-1]) :]
        if _CLAUSE.search(after_name) or (is_possessive and kind != "thing"):
            return True
    if kind == "person":
        asked = focus_of(question).noun  # "Which actor played him?"
        words = [word for word in _COMMON_NOUN.findall(before) if word != asked]
        persons = sum(type_of_noun(word) == "person" for word in words)
        is_object = not is_possessive and pronoun.group().lower() in _OBJECTS
        return persons > is_object  # who does something to "her" is another
    is_of_doers = kind == "any" and (_DOERS.search(before) or is_possessive and _WHO.match(before))
    return bool(is_of_doers)


def _is_possessive(question: str, match: re.Match[str]) -> bool:
    word = match.group().lower()
    if match["possessive"] or word in _POSSESSIVE:
        return True
    following = re.match(r"\s+([a-z]+)", question[match.end() :], re.IGNORECASE)
    if word != "her" or following is None:
        return False
    return following.group(1).lower() not in STOP_WORDS - _QUALIFIES_NOUN


def fit(reference: Reference, thing: Thing) -> Fit:
    """Return how well a thing fits a reference, for all but "the other one"."""
    match reference.kind:
        case "person":
            return _fit_of_person(reference.noun, thing)
        case "place":
            return _fit_of_place(thing)
        case "noun":
            return _fit_of_noun(reference.noun, thing)
        case "thing":
            return 0 if thing.type in _VALUES or thing.type == "person" else 2
        case _:
            return 0 if thing.type in _VALUES else 2


def _fit_of_person(noun: str, thing: Thing) -> Fit:
    if thing.sex is not None and noun in {"man", "woman"} and noun != thing.sex:
        return 0
    if thing.type == "person":
        is_doubtful = thing.part == "doubtful answer" and not thing.is_known
        return 1 if thing.part == "topic" or is_doubtful else 2
    return 1 if thing.type is None and thing.may_be_person else 0


def _fit_of_place(thing: Thing) -> Fit:
    if thing.type in _VALUES or thing.type == "person":
        return 0
    return 2 if thing.type == "place" else 1


def _fit_of_noun(noun: str, thing: Thing) -> Fit:
    wanted = type_of_noun(noun)
    if noun in {"person", "man", "woman"}:
        return _fit_of_person(noun, thing)
    if wanted in _VALUES or thing.type in _VALUES:
        return 2 if wanted == thing.type else 0
    if thing.part == "topic":
        return 0  # "the camp" stands for itself
    if _alike(noun) & (thing.nouns | _heads(thing.name)):
        return 2
    if noun == "place" and thing.type == "place":
        return 2
    is_other = thing.type == "person" or (thing.is_known and thing.type not in {None, wanted})
    is_told = bool(thing.nouns) or wanted is None or thing.part == "trail"
    return 0 if is_told or is_other else 1


def _alike(noun: str) -> frozenset[str]:
    """Return the nouns that name the same kind of thing."""
    return frozenset({noun}).union(*(nouns for nouns in _ALIKE if noun in nouns))


def _heads(name: str) -> frozenset[str]:
    """Return the words of a name that may tell what it is: "hall" of "Town Hall", "river"."""
    words = [singular(word) for word in name_key(name).split()]
    last = frozenset(words[-1:])
    is_told = any(type_of_noun(word) or _alike(word) != {word} for word in last)
    return last if is_told else last | frozenset(words[:1])
