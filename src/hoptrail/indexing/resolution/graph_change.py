"""Changes of the graph by documents that come or go, from the mentions of their names alone.

A name's senses depend on the places that name it, its entity on those of all names that it shares
one with, and a relation on those of its two ends. So these places are resolved twice, without the
documents and with them, and what differs is what the resolution of all would change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hoptrail.core.types import Entity, Relation
from hoptrail.core.types.merge import Merge
from hoptrail.indexing.resolution.entity_resolution import Resolution, resolve
from hoptrail.indexing.resolution.name_keys import NameKeys
from hoptrail.indexing.resolution.readings import Mention
from hoptrail.indexing.resolution.values import value_keys
from hoptrail.stores.records.consolidation_table import Decisions
from hoptrail.stores.records.graph_table import GraphChange, GraphIds

FindNamed = Callable[[Iterable[str]], tuple[set[str], list[Mention]]]
"""Returns all keys that keys of names lead to, and the mentions of all of them in the graph."""

T = TypeVar("T", Entity, Relation, Merge)


def resolve_change(
    own: Sequence[Mention], find_named: FindNamed, decisions: Decisions, *, gone: bool = False
) -> GraphChange:
    """Return what documents change in a graph as they come or go.

    Args:
        own: All mentions of these documents, of which the graph has either none or all.
        find_named: Looks names up in the graph.
        decisions: Those that the graph was resolved with.
        gone: Whether the graph has them, and they go.
    """
    keys = _names(own)
    without, with_own = _both(keys, own, find_named, decisions)
    parted = {
        place[0] for place, id_ in without.meanings.items() if with_own.meanings.get(place) != id_
    }
    if parted:
        # Relations of what falls apart or together need the entities at their other ends.
        known, mentions = find_named(keys)
        near = _neighbours([*mentions, *own], parted)
        if not near <= known:
            without, with_own = _both(keys | near, own, find_named, decisions)
    before, after = (with_own, without) if gone else (without, with_own)
    return _change(before, after)


def _change(before: Resolution, after: Resolution) -> GraphChange:
    return GraphChange(
        _differing(before.entities, after.entities),
        _differing(before.relations, after.relations),
        _differing(before.merges, after.merges),
        GraphIds(
            _missing(before.entities, after.entities), _missing(before.relations, after.relations)
        ),
        _missing(before.merges, after.merges),
    )


def _both(
    keys: Iterable[str], own: Sequence[Mention], find_named: FindNamed, decisions: Decisions
) -> tuple[Resolution, Resolution]:
    """Return the resolution of what these names lead to, without and with these mentions."""
    known, mentions = find_named(keys)
    documents = {mention[0] for mention in own}
    others = [mention for mention in mentions if mention[0] not in documents]
    return (
        resolve(others, decisions, within=known),
        resolve([*others, *own], decisions, within=known),
    )


def _names(mentions: Iterable[Mention]) -> set[str]:
    """Return the keys of all names in the mentions but those of values, which join nothing."""
    keys: set[str] = set()
    key_of = NameKeys()
    for _, _, extractor, extraction in mentions:
        values = value_keys(extractor, extraction, key_of)
        for entity in extraction.entities:
            if key_of[entity.name] not in values:
                keys.add(key_of[entity.name])
            keys.update(map(key_of.__getitem__, entity.aliases))
        for relation in extraction.relations:
            keys.add(key_of[relation.subject])
            if key_of[relation.object] not in values:
                keys.add(key_of[relation.object])
    return keys - {""}


def _neighbours(mentions: Iterable[Mention], keys: set[str]) -> set[str]:
    """Return the names, none a value, that relations join with these."""
    found: set[str] = set()
    key_of = NameKeys()
    for _, _, extractor, extraction in mentions:
        values = value_keys(extractor, extraction, key_of)
        for relation in extraction.relations:
            ends = {key_of[relation.subject], key_of[relation.object]}
            if not ends.isdisjoint(keys):
                found |= ends - values
    return found - {""}


def _differing(before: Iterable[T], after: Iterable[T]) -> list[T]:
    known = {one.id: one for one in before}
    return [one for one in after if known.get(one.id) != one]


def _missing(before: Iterable[T], after: Iterable[T]) -> list[str]:
    there = {one.id for one in after}
    return [one.id for one in before if one.id not in there]
