"""Find the topic of a question: the entity from which paths of the graph are followed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from hoptrail.core.names import word_runs
from hoptrail.core.text import STOP_WORDS, longest_apart

FindEntities = Callable[[Iterable[str]], Mapping[str, tuple[str, ...]]]

MASK = "X"
_REACH = 3  # words
_MASKED = re.compile(rf"\b{MASK}\b")


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
