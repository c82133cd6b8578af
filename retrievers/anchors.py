"""The anchors and topics that a question names, where a search of the graph starts.

Anchors are entities with weights; a topic is an entity from which paths are followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import FloatArray, IdArray, IntArray
from hoptrail.core.language.scripts import UNSPACED
from hoptrail.core.language.stop_words import without_accents
from hoptrail.core.names import UNIT, unit_runs, word_runs
from hoptrail.core.text import STOP_WORDS, longest_apart
from hoptrail.core.types import Entity
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.snapshot_view import View

_CAPITAL_OR_DIGIT = re.compile("[A-Z0-9]")
_SHORTEST_UNACCENTED = 4
_NEAREST_FOR_NAMES = 50
_NEAREST_AS_SEEDS = 3
_NEAREST_WEIGHT = 0.3
FindEntities = Callable[[Iterable[str]], Mapping[str, tuple[str, ...]]]

MASK = "X"
_REACH = 3  # words
_MASKED = re.compile(rf"\b{MASK}\b")


def named_entities(
    query: Query, view: View, nearest: IdArray | Sequence[str] = ()
) -> dict[int, float]:
    """Return the rows of the entities that the question or its plan names, with seed weights.

    Names are looked up longest first, and only those written with a capital, a digit or in a
    script without case count: common nouns that happen to be nodes ("country", "the author") pull
    the walk to hubs and cost more recall than any other choice. In a question all in lower case
    any name counts. A name weighs the less, the more passages mention what it names (node
    specificity, Gutierrez et al., HippoRAG, 2024); entities that share a name share its weight.
    A value, such as a year, counts only where nothing else is named: it tells which of the things
    at hand is meant, and the documents that share it need have nothing to do with each other.

    Args:
        query: The question.
        view: The knowledge base.
        nearest: Ids of entities near the question, which also count where the question spells
            their name without its accents.
    """
    spans = {span: query.text[slice(*span)] for span in _spans(query.text)}
    found = view.store.find_entities({*spans.values(), *query.plan.entities})
    named = longest_apart(span for span, text in spans.items() if text in found)
    seeds: dict[int, float] = {}
    for name in (*(spans[span] for span in named), *query.plan.entities):
        _add(seeds, view, found.get(name, ()))
    near = view.store.entities([str(id_) for id_ in nearest])
    for entity in _unaccented(query.text, named, near):
        _add(seeds, view, (entity.id,))
    return _things(seeds, view) or seeds


def anchor_entities(query: Query, view: View) -> dict[int, float]:
    """Return the rows of the entities to start from, with weights.

    These are the named ones (`named_entities`), or the three nearest where the question names none.
    """
    near, scores = view.vectors["entity"].search(query.unit, _NEAREST_FOR_NAMES)
    return named_entities(query, view, near) or nearest_as_seeds(
        view.index.entity_rows(near), scores
    )


def nearest_as_seeds(rows: IntArray, scores: FloatArray) -> dict[int, float]:
    """Return the entities to start from where the question names none."""
    best = zip(rows.tolist()[:_NEAREST_AS_SEEDS], scores.tolist(), strict=False)
    return {row: _NEAREST_WEIGHT * score for row, score in best if score > 0}


def spelled_names(question: str) -> list[str]:
    """Return the runs of words that are written as names, in order, known to a base or not.

    A stop word with a capital, such as the one that begins a question, is no part of a name.
    """
    names: list[str] = []
    last = -2
    for place, match in enumerate(UNIT.finditer(question)):
        word = match.group()
        if not is_name(word) or word.lower() in STOP_WORDS:
            continue
        if place == last + 1:
            names[-1] += f" {word}"
        else:
            names.append(word)
        last = place
    return names


def is_name(text: str) -> bool:
    """Return whether a text has a capital, a digit or a letter of a script without case."""
    if text.isascii():
        return _CAPITAL_OR_DIGIT.search(text) is not None
    return any(
        character.isupper()
        or character.isdigit()
        or (character.isalpha() and character.lower() == character.upper())
        for character in text
    )


def stands_in(text: str, name: str) -> bool:
    """Return whether the name occurs in the text, not as a part of a longer word.

    In scripts that put no spaces between words, any occurrence counts.
    """
    if not name or name not in text:
        return False
    spaced = rf"(?![{UNSPACED}])\w"
    return bool(re.search(rf"(?<!{spaced}){re.escape(name)}(?!{spaced})", text)) or bool(
        re.search(f"[{UNSPACED}]", name)
    )


def _add(seeds: dict[int, float], view: View, ids: Sequence[str]) -> None:
    rows = view.index.entity_rows(ids)
    rows = rows[rows >= 0]
    # Of a name that many things have, such as a year, none is specific.
    mentions = sum(len(view.index.entity_chunks.row(row)) for row in rows.tolist())
    for row in rows.tolist():
        weight = 1.0 / (len(rows) * float(np.sqrt(max(mentions, 1))))
        seeds[row] = max(weight, seeds.get(row, 0.0))


def _things(seeds: Mapping[int, float], view: View) -> dict[int, float]:
    """Return the seeds without values, such as dates."""
    ids = [str(view.index.entity_ids[row]) for row in seeds]
    values = {entity.id for entity in view.store.entities(ids) if entity.is_value}
    return {
        row: weight
        for (row, weight), id_ in zip(seeds.items(), ids, strict=True)
        if id_ not in values
    }


def _spans(question: str) -> Iterator[tuple[int, int]]:
    """Yield every run of up to ten words (or unspaced characters) that could be a name."""
    is_lower_case = question == question.lower()
    for start, end in unit_runs(question):
        text = question[start:end]
        if (is_lower_case or is_name(text)) and text.lower() not in STOP_WORDS:
            yield start, end


def _unaccented(
    question: str, named: Sequence[tuple[int, int]], nearest: Sequence[Entity]
) -> Iterator[Entity]:
    """Yield the near entities whose name stands in what is left of the question, bar accents."""
    rest = question
    for start, end in named:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    rest = without_accents(rest)
    for entity in nearest:
        name = without_accents(entity.name)
        if len(name) >= _SHORTEST_UNACCENTED and is_name(name) and stands_in(rest, name):
            yield entity


@dataclass(frozen=True, slots=True)
class Topic:
    """Entities of one name that a question contains, and the question with X for the name."""

    entity_ids: tuple[str, ...]
    masked: str
    name: str = ""


def around_mask(masked: str) -> str:
    """Return the mask with up to three words on either side: how a question speaks of its topic.

    A vector of the whole question hardly knows the order of its words, and what stands beside the
    topic is mostly the first step from it. A text without a mask is returned whole.
    """
    words = masked.split()
    place = next((i for i, word in enumerate(words) if _MASKED.search(word)), None)
    if place is None:
        return masked
    return " ".join(words[max(place - _REACH, 0) : place + _REACH + 1])


def named_topics(question: str, find: FindEntities) -> list[Topic]:
    """Return a topic for each name of an entity that stands in the question, in any case.

    A name inside a longer one is none of its own, nor is one that crosses a longer one. A stop word
    is a topic only where there is no other.

    Args:
        question: Natural language.
        find: Ids of the entities of each name, as `GraphStore.find_entities`.
    """
    runs = list(word_runs(question))
    found = find({question[start:end] for start, end in runs})
    names = longest_apart(run for run in runs if question[slice(*run)] in found)
    proper = [name for name in names if question[slice(*name)].lower() not in STOP_WORDS]
    return [
        Topic(found[name], question[:start] + MASK + question[end:], name)
        for start, end in proper or names
        if (name := question[start:end])
    ]
