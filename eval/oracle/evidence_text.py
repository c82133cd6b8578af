"""The evidence in a prompt, laid out for finding spans, titles, triples and walks over these."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from hoptrail.core.text import STOP_WORDS, name_key
from hoptrail.eval.questions.question import Question

Words = tuple[str, ...]

# Unlike the SQuAD normal form this parts what only a mark holds together: "ended).The next".
_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset({"a", "an", "the"})

_LINE = re.compile(r"^(?:-|\[\d+\]) (.+ \| .+ \| .+)$", re.MULTILINE)
_ADDITION = re.compile(r"^(.*\S)\s+\(((?:[^()]|\([^()]*\))*)\)$", re.DOTALL)
_VERDICTS = frozenset({"complete", "partial", "irrelevant"})
_SHORTEST_DESCRIPTION = 4

_PASSAGE = re.compile(
    r"^\[(P\d+)\] ?([^\n]*)\n<passage>\n(.*?)\n</passage>$", re.DOTALL | re.MULTILINE
)

_LIST_LINE = re.compile(r"^- .*$", re.MULTILINE)
NO_LABEL = "-"

LONGEST_WALK = 4
"""Triples from topic to answer where no gold relation path says how many there are."""


def words_of(text: str) -> Words:
    """Return the words of a text in order: NFKC, casefold, no marks, no articles."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(word for word in _WORD.findall(folded) if word not in _ARTICLES)


def spaced(words: Words) -> str:
    """Return the words with a space between them and at each end: whole words are found in it."""
    return f" {' '.join(words)} "


def spells(text: str, form: str) -> bool:
    """Return whether a text has the words of a form in a row; one without words is nowhere."""
    words = words_of(form)
    return bool(words) and spaced(words) in spaced(words_of(text))


def span_of(text: str, form: str) -> tuple[int, int] | None:
    """Return the first characters of a text that spell a form, and what follows them."""
    wanted = words_of(form)
    found = [match.span() for match in _WORD.finditer(text)]
    spans = [(start, end) for start, end in found if words_of(text[start:end])]
    folded = [words_of(text[start:end]) for start, end in spans]
    for first in range(len(spans) - len(wanted) + 1 if wanted else 0):
        last = first + len(wanted)
        if all(len(own) == 1 for own in folded[first:last]) and (
            tuple(own[0] for own in folded[first:last]) == wanted
        ):
            return spans[first][0], spans[last - 1][1]
    return None


@dataclass(frozen=True, slots=True)
class Triple:
    """A triple as a prompt spells it."""

    subject: str
    predicate: str
    object: str

    @property
    def ends(self) -> tuple[str, str]:
        """The keys of both names."""
        return name_key(self.subject), name_key(self.object)

    @property
    def label(self) -> str:
        """The key of the predicate, the same for `starred_actors` and "starred actors"."""
        return predicate_key(self.predicate)


Walk = tuple[Triple, ...]


def predicate_key(predicate: str) -> str:
    """Return the form in which predicates are compared."""
    return name_key(predicate.replace("_", " "))


def parse_triples(text: str) -> tuple[Triple, ...]:
    """Return the triples of all lines `- s | p | o` and `[3] s | p | o -> o | p | o`, each once."""
    found = (triple for line in _LINE.findall(text) for triple in parse_path(line))
    return tuple(dict.fromkeys(found))


def parse_path(line: str) -> tuple[Triple, ...]:
    """Return the triples of one line without its dash or number, none if it holds none."""
    triples: list[Triple] = []
    for part in line.split(" -> "):
        fields = [field.strip() for field in part.split(" | ")]
        if len(fields) != 3 or not all(fields):
            return ()
        triples.append(Triple(fields[0], fields[1], _without_addition(fields)))
    return tuple(triples)


def _without_addition(fields: list[str]) -> str:
    """Return the object without the description or verdict that may follow it in parentheses.

    A short addition such as "(1999 film)" is part of the name.
    """
    match = _ADDITION.match(fields[2])
    if match is None:
        return fields[2]
    name, addition = match.groups()
    names = f" {name_key(addition)} "
    tells = any(f" {name_key(end)} " in names for end in (fields[0], name))
    is_description = tells and len(addition.split()) >= _SHORTEST_DESCRIPTION
    return name if is_description or addition in _VERDICTS else fields[2]


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A labelled passage of a prompt; `key` holds its words, `spaced`."""

    label: str
    title: str
    text: str
    key: str

    def holds(self, span: Words) -> bool:
        """Return whether the words stand in the text in a row."""
        return spaced(span) in self.key


class EvidenceText:
    """The evidence that a prompt shows, read from its text alone.

    Args:
        text: The evidence as rendered, or any other text with passages and triples.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def passages(self) -> tuple[ShownPassage, ...]:
        """The labelled passages in order."""
        return tuple(
            ShownPassage(label, title, text, spaced(words_of(text)))
            for label, title, text in _PASSAGE.findall(self.text)
        )

    @cached_property
    def triples(self) -> tuple[Triple, ...]:
        """The triples of relation and path lines in order."""
        return parse_triples(self._unlabelled)

    def titled(self, title: str) -> tuple[ShownPassage, ...]:
        """Return the passages of a title; without any label in it, the text may hold them all."""
        if not self.passages:
            prose = _LIST_LINE.sub("", self.text)
            return (ShownPassage(NO_LABEL, title, prose, spaced(words_of(prose))),)
        words = words_of(title)
        return tuple(passage for passage in self.passages if words_of(passage.title) == words)

    def holds(self, span: Words) -> bool:
        """Return whether the words stand anywhere in the text in a row, titles included."""
        return spaced(span) in self._key

    def holds_unlabelled(self, span: Words) -> bool:
        """Return whether the words stand in a row outside of all labelled passages."""
        return spaced(span) in self._unlabelled_key

    @cached_property
    def _unlabelled(self) -> str:
        return _PASSAGE.sub("", self.text)

    @cached_property
    def _key(self) -> str:
        return spaced(words_of(self.text))

    @cached_property
    def _unlabelled_key(self) -> str:
        return spaced(words_of(self._unlabelled))


def answer_walks(question: Question, triples: Sequence[Triple]) -> dict[str, Walk]:
    """Return the gold answers that the triples lead to, each with one walk that does.

    A walk starts at a topic entity and follows a gold relation path, each triple in either
    direction; without gold paths any walk of at most `LONGEST_WALK` triples counts. An answer is
    given in the first accepted form that a triple spells.
    """
    reached: dict[str, Walk] = {}
    starts = topics_in(question, triples)
    if question.relation_paths:
        for path in question.relation_paths:
            for key, walk in shown_walks_along(path, starts, triples).items():
                reached.setdefault(key, walk)
    else:
        reached = _walks_within(LONGEST_WALK, starts, triples)
    found = (
        next((form for form in forms if name_key(form) in reached), None)
        for forms in question.answers
    )
    return {form: reached[name_key(form)] for form in found if form is not None}


def topics_in(question: Question, triples: Sequence[Triple]) -> tuple[str, ...]:
    """Return the keys of the topic entities: the gold ones, else names that the question has."""
    if question.topic_entities:
        return tuple(dict.fromkeys(map(name_key, question.topic_entities)))
    asked = f" {name_key(question.text)} "
    names = dict.fromkeys(end for triple in triples for end in triple.ends)
    return tuple(
        name for name in names if f" {name} " in asked and not set(name.split()) <= STOP_WORDS
    )


def shown_walks_along(
    path: Sequence[str], starts: Iterable[str], triples: Sequence[Triple]
) -> dict[str, Walk]:
    """Return the names at the end of a relation path, each with one walk to it."""
    edges = _edges(triples)
    frontier: dict[str, Walk] = {start: () for start in starts}
    for predicate in map(predicate_key, path):
        following: dict[str, Walk] = {}
        for name, walk in frontier.items():
            for triple, other in edges[name]:
                if triple.label == predicate:
                    following.setdefault(other, (*walk, triple))
        frontier = following
    return frontier


def _walks_within(
    longest: int, starts: Iterable[str], triples: Sequence[Triple]
) -> dict[str, Walk]:
    """Return every name at most so many triples away from a start, with a shortest walk."""
    edges = _edges(triples)
    reached: dict[str, Walk] = {start: () for start in starts}
    frontier = list(reached)
    for _ in range(longest):
        following: list[str] = []
        for name in frontier:
            for triple, other in edges[name]:
                if other not in reached:
                    reached[other] = (*reached[name], triple)
                    following.append(other)
        frontier = following
    return {name: walk for name, walk in reached.items() if walk}


def _edges(triples: Sequence[Triple]) -> defaultdict[str, list[tuple[Triple, str]]]:
    edges: defaultdict[str, list[tuple[Triple, str]]] = defaultdict(list)
    for triple in triples:
        subject, object_ = triple.ends
        edges[subject].append((triple, object_))
        edges[object_].append((triple, subject))
    return edges
