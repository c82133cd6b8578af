"""Walks over the triples of a prompt, from a topic entity to the answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from hoptrail.core.text import STOP_WORDS, name_key
from hoptrail.eval.oracle.triples import Triple, predicate_key
from hoptrail.eval.questions.question import Question

LONGEST_WALK = 4
"""Triples from topic to answer where no gold relation path says how many there are."""

Walk = tuple[Triple, ...]


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
