"""Split a question that describes a thing into a question for the thing and one about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.language.answer_types import type_of_noun
from hoptrail.agents.language.word_groups import word_groups

_ARTICLE = re.compile(r"\bthe\s{1,3}", re.IGNORECASE)
_CLAUSE = re.compile(
    r"(?P<noun>(?:\b[a-z][\w'’-]{0,30}\s{1,3}){1,4}?)(?P<link>who|that|which|whose|where|of|behind|"
    r"from|at|on|in\scharge\sof)\s{1,3}(?P<rest>[^?]{3,200})",
)
_OWNER = re.compile(
    r"\b(?P<owner>the\s{1,3}[\w-]{1,30}(?:\s[\w-]{1,30}){0,2}?"
    r"|[A-Z][\w.&-]{0,30}(?:\s[A-Z][\w.&-]{0,30}){0,3})['’]s?\s{1,3}(?P<noun>[a-z][\w-]{0,30})"
)
_PERSONS = frozenset("man woman person lady colleague member boss head holder one".split())
_TIMES = frozenset("summer winter spring autumn year month week day time end beginning".split())
_LIGHT = word_groups(
    "name named call called number kind who what which when where how be been go going do does did "
    "have has had get got take took want wants need needs may must can could will would become"
)
_RELATIVE = frozenset({"who", "that", "which", "whose", "where"})
_NO_NOUN_PHRASE = _RELATIVE | frozenset(
    """of is are was were be been have has had do does did to must can could will would should may
    up out off down""".split()
)
_LATE_CLAUSE = re.compile(r"(?P<link>who|that|which|whose)\s{1,3}(?P<rest>[^?]{3,200})")
_PASSIVE_BEFORE = re.compile(r"\b(?:was|were|is|are|been)\s{1,3}$", re.IGNORECASE)
_PARTICIPLE = re.compile(r"[a-z]{2,20}(?:ed|wn|en)|built|made|held|kept|sold|bought|found|run|set")
_SHORTEST_CLAUSE = 2


@dataclass(frozen=True, slots=True)
class NestedQuestion:
    """A question in two steps: `outer` has "{}" where the answer of `inner` belongs."""

    inner: str
    outer: str


def nested_questions(question: str) -> list[NestedQuestion]:
    """Return the ways to ask a question in two steps, the longest description first.

    "What is the extension of the man who takes over from Joan Pendry?" asks who takes over from
    Joan Pendry, and then for that man's extension.
    """
    text = question.strip().rstrip("?").rstrip()
    found = [*_described(text), *_owned(text)]
    return [one for one in found if word_groups(one.outer) - _LIGHT]


def _described(text: str) -> Iterator[NestedQuestion]:
    for article in _ARTICLE.finditer(text):
        clause = _CLAUSE.match(text, article.end())
        if clause is None:
            continue
        words, link, rest = clause["noun"].split(), clause["link"], clause["rest"]
        if any(word in _NO_NOUN_PHRASE or word in _TIMES for word in words):
            continue
        before = text[: article.start()]
        late = _LATE_CLAUSE.match(rest)
        size = _size_of_noun(words)
        if late and link not in _RELATIVE and len(words) > 1:  # "the guest come from who ..."
            size = min(size, len(words) - 1)
            between = " ".join([*words[size:], link])
            link, told = late["link"], late["rest"]
        else:
            told, verb = _without_verb(before, link, rest)
            between = " ".join([*words[size:], verb]).strip()
        outer = f"{before}{{}} {between}".strip() + "?"
        yield NestedQuestion(_ask_for(" ".join(words[:size]), link, told), outer)


def _without_verb(before: str, link: str, rest: str) -> tuple[str, str]:
    """Return a clause, and the participle behind it that belongs to the question around it.

    "When was the mill that Tom Reed owned sold?" asks when it was sold.
    """
    words = rest.split()
    is_passive = link in _RELATIVE and _PASSIVE_BEFORE.search(before) is not None
    if is_passive and len(words) > _SHORTEST_CLAUSE and _PARTICIPLE.fullmatch(words[-1]):
        return " ".join(words[:-1]), words[-1]
    return rest, ""


def _owned(text: str) -> Iterator[NestedQuestion]:
    for match in _OWNER.finditer(text):
        is_known = match["noun"] in _PERSONS or type_of_noun(match["noun"]) is not None
        if match.start() < len("who is") or not is_known:
            continue
        inner = _ask_for(match["noun"], "of", match["owner"].removeprefix("the ").strip())
        yield NestedQuestion(inner, f"{text[: match.start()]}{{}}{text[match.end() :]}?")


def _size_of_noun(words: list[str]) -> int:
    """Return how many words name the thing; the rest belongs to the question about it."""
    for size, word in enumerate(words, 1):
        if word in _PERSONS or type_of_noun(word) is not None:
            return size
    return len(words)


def _ask_for(noun: str, link: str, rest: str) -> str:
    head = noun.split()[-1]
    is_person = head in _PERSONS or type_of_noun(head) == "person"
    if link in _RELATIVE:
        opening = "Who" if head in _PERSONS else f"Which {noun}"
        if type_of_noun(rest.split()[0]) is not None:  # "costs" is the verb here.
            opening += " is it that"
        return f"{opening} {'has' if link == 'whose' else ''} {rest}?".replace("  ", " ")
    if head in _PERSONS:
        return f"Who is {link} {rest}?"
    return f"{'Who' if is_person else 'What'} is the {noun} {link} {rest}?"
