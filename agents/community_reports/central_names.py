"""Which names stand for a community."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from hoptrail.agents.community_reports.report_statements import Statement
from hoptrail.core.node_names import is_unnamed
from hoptrail.core.text import content_words
from hoptrail.core.types import Entity

_LONGEST_NAME = 60
_MOST_NAMES = 6
_UNNAMED_SHARE = 0.5  # of a statement that does not name the entity, as "He left" does not
_CACHED = 1 << 15
_CONTRACTION = re.compile(r"['’](?:ll|ve|re|d|m|t)$")
_POINTS_IN_TIME = frozenset({"date", "number", "year", "time"})


def centrality_of(entities: Iterable[Entity], told: Iterable[Statement]) -> dict[str, float]:
    """Return by id how much is stated about each entity, less in statements that do not name it."""
    by_id = {entity.id: entity for entity in entities}
    centrality: dict[str, float] = {}
    for statement in told:
        text = statement.text.lower()
        for id_ in statement.entity_ids:
            share = 1.0 if id_ in by_id and _is_in(by_id[id_], text) else _UNNAMED_SHARE
            centrality[id_] = centrality.get(id_, 0.0) + share
    return centrality


def central_names(entities: Iterable[Entity], centrality: Mapping[str, float]) -> list[str]:
    """Return up to six names, the most central first, none with only words of another one.

    Points in time, numbers, fragments of speech and whole sentences are no names.
    """
    named = [e for e in entities if e.type.lower() not in _POINTS_IN_TIME and _is_name(e.name)]
    names: list[str] = []
    taken: list[set[str]] = []
    for entity in sorted(named, key=lambda entity: -centrality.get(entity.id, 0.0)):
        words = set(entity.name.lower().split())
        if not any(words <= other or other <= words for other in taken):
            names.append(" ".join(entity.name.split()))
            taken.append(words)
        if len(names) == _MOST_NAMES:
            break
    return names


def named_in(statement: Statement, entities: Mapping[str, Entity]) -> Sequence[Entity]:
    """Return the entities that a statement is about and names."""
    text = statement.text.lower()
    about = (entities[id_] for id_ in dict.fromkeys(statement.entity_ids) if id_ in entities)
    return [entity for entity in about if _is_in(entity, text)]


def words_in_names(entities: Iterable[Entity]) -> set[str]:
    """Return the words that the names are made of."""
    return set().union(*(_words(entity.name) for entity in entities))


def _is_in(entity: Entity, text: str) -> bool:
    return any(_lower(name) in text for name in (entity.name, *entity.aliases))


@lru_cache(maxsize=_CACHED)
def _lower(name: str) -> str:
    return " ".join(name.split()).lower()


@lru_cache(maxsize=_CACHED)
def _words(name: str) -> frozenset[str]:
    return frozenset(content_words(name))


@lru_cache(maxsize=_CACHED)
def _is_name(name: str) -> bool:
    if len(name) > _LONGEST_NAME or is_unnamed(name):
        return False
    said = (word for word in _words(name) if not _CONTRACTION.search(word))
    return any((len(word) > 2 and not word.isdigit()) or _is_uncased(word) for word in said)


def _is_uncased(word: str) -> bool:
    """Return whether a word of two letters or more is of a script such as Chinese."""
    return len(word) > 1 and word.isalpha() and word.lower() == word.upper()
