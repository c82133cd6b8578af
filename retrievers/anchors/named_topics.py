"""What a question is about: the entity from which the paths of a knowledge graph are followed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from hoptrail.core.text import STOP_WORDS

FindEntities = Callable[[Iterable[str]], Mapping[str, tuple[str, ...]]]

MASK = "X"
_LONGEST_NAME = 14  # words
_REACH = 3  # words
_MASKED = re.compile(rf"\b{MASK}\b")
_WORD = re.compile(r"\w+(?:['’]\w+)*")


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
    spans = [(start, end, question[start:end]) for start, end in word_runs(question)]
    found = find({text for _, _, text in spans})
    known = sorted((s for s in spans if s[2] in found), key=lambda s: (s[0] - s[1], s[0]))
    taken: list[tuple[int, int, str]] = []
    for start, end, text in known:
        if all(end <= left or start >= right for left, right, _ in taken):
            taken.append((start, end, text))
    proper = [span for span in taken if span[2].lower() not in STOP_WORDS]
    return [
        Topic(found[text], question[:start] + MASK + question[end:], text)
        for start, end, text in sorted(proper or taken)
    ]


def word_runs(question: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of every run of up to 14 words, any of which could be a name."""
    units = [match.span() for match in _WORD.finditer(question)]
    for first, (start, _) in enumerate(units):
        for _, end in units[first : first + _LONGEST_NAME]:
            yield start, end
