"""Texts of a local view, out of memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Community, Document, Entity, Relation
from hoptrail.stores.local.region import Region
from hoptrail.stores.protocols import GraphStore

T = TypeVar("T")


class LocalStore:
    """The `GraphStore` of a local view: what is not in the region is not known.

    Args:
        region: Its items.
        communities: All of the base, without members.
        records: Whole documents and members of communities, which no retriever reads, are asked
            for here.
    """

    def __init__(
        self, region: Region, communities: Mapping[str, Community], records: GraphStore
    ) -> None:
        self._region = region
        self._communities = communities
        self._records = records

    def documents(self, ids: Sequence[str]) -> list[Document]:
        """Return the documents of these ids, in their order, unknown ids left out."""
        return self._records.documents(ids)

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks of these ids, in their order, those outside the region left out."""
        return [held.item for held in _known(self._region.chunks, ids)]

    def entities(self, ids: Sequence[str]) -> list[Entity]:
        """Return the entities of these ids, in their order, those outside the region left out."""
        return [held.item for held in _known(self._region.entities, ids)]

    def relations(self, ids: Sequence[str]) -> list[Relation]:
        """Return the relations of these ids, in their order, those outside the region left out."""
        return _known(self._region.relations, ids)

    def communities(self, ids: Sequence[str], *, members: bool = True) -> list[Community]:
        """Return the communities of these ids, unknown ids left out; members are asked for."""
        if members:
            return self._records.communities(ids)
        return _known(self._communities, ids)

    def find_entities(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the ids of the region's entities of the same `name_key`, by name.

        All entities that a text of the focus may name are in the region.
        """
        keys = {name: name_key(name) for name in names}
        known = self._ids_of_names
        return {name: tuple(known[key]) for name, key in keys.items() if key in known}

    @cached_property
    def _ids_of_names(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for id_, held in sorted(self._region.entities.items()):
            for key in dict.fromkeys(map(name_key, (held.item.name, *held.item.aliases))):
                found.setdefault(key, []).append(id_)
        return found

    def match_entities(self, text: str, limit: int) -> list[str]:
        """Return the ids of the entities with a name or alias that holds the text, best first."""
        return self._records.match_entities(text, limit)


def _known(items: Mapping[str, T], ids: Sequence[str]) -> list[T]:
    found = (items.get(str(id_)) for id_ in ids)
    return [item for item in found if item is not None]
