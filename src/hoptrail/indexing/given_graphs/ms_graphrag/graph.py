"""The graph of imported indexes, and what was read from other passages joined to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hoptrail.core.text import name_key
from hoptrail.core.types import Entity, Relation
from hoptrail.indexing.resolution.entity_resolution import Resolution
from hoptrail.indexing.resolution.readings import Mention, type_family

EXTRACTOR = "ms-graphrag"
PREDICATE = "related to"
"""Relationships of Microsoft GraphRAG have no predicate: their description says it all."""


def entity_id(name: str) -> str:
    """Return the id of an imported entity: its very name tells it apart, as in its own index."""
    return _hash(EXTRACTOR, name)


def relation_id(source: str, target: str) -> str:
    """Return the id of the imported relation between two names."""
    return _hash(entity_id(source), PREDICATE, entity_id(target))


def without_imported(
    mentions: Iterable[Mention], imported: list[Mention] | None = None
) -> Iterator[Mention]:
    """Yield the mentions that are to be resolved, holding one at a time.

    Args:
        mentions: All mentions.
        imported: Where those of imported indexes go, which are resolved.
    """
    for mention in mentions:
        if mention[2] != EXTRACTOR:
            yield mention
        elif imported is not None:
            imported.append(mention)


def join_imported(imported: Iterable[Mention], read: Resolution) -> Resolution:
    """Return the graph of imported mentions, joined with what was resolved from the others.

    Nothing that an imported index keeps apart is merged or renamed, since its communities and
    reports refer to it. An entity read elsewhere is the imported one of its name where there is one
    of each and their types do not contradict.

    Args:
        imported: What `EXTRACTOR` stored, in canonical order.
        read: The graph of all other mentions.
    """
    drafts = _Drafts()
    for mention in imported:
        drafts.add(mention)
    same = _same(drafts.entities.values(), read.entities)
    for entity in read.entities:
        drafts.add_entity(replace(entity, id=same.get(entity.id, entity.id)))
    for relation in read.relations:
        drafts.add_relation(_moved(relation, same))
    return Resolution(
        drafts.sorted_entities(),
        drafts.sorted_relations(),
        [replace(one, entity_id=same.get(one.entity_id, one.entity_id)) for one in read.merges],
    )


@dataclass(slots=True)
class _Drafts:
    """Entities and relations by id while further ones are added; their passages apart, as sets."""

    entities: dict[str, Entity] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    chunk_ids: dict[str, set[str]] = field(default_factory=dict)

    def add(self, mention: Mention) -> None:
        """Add what an index says about one place; ends that it does not list are untyped."""
        _, chunk_id, _, extraction = mention
        chunks = (chunk_id,) if chunk_id else ()
        for entity in extraction.entities:
            id_ = entity_id(entity.name)
            self.add_entity(
                Entity(id_, entity.name, entity.type, entity.description, chunk_ids=chunks)
            )
        for one in extraction.relations:
            source, target = entity_id(one.subject), entity_id(one.object)
            self.add_entity(Entity(source, one.subject, chunk_ids=chunks))
            self.add_entity(Entity(target, one.object, chunk_ids=chunks))
            id_ = relation_id(one.subject, one.object)
            self.add_relation(
                Relation(id_, source, one.predicate, target, one.description, one.weight, chunks)
            )

    def add_entity(self, entity: Entity) -> None:
        """Add an entity, or what it says of one that is there."""
        known = self.entities.get(entity.id)
        self.chunk_ids.setdefault(entity.id, set()).update(entity.chunk_ids)
        if known is None:
            self.entities[entity.id] = entity
            return
        aliases = dict.fromkeys((*known.aliases, entity.name, *entity.aliases))
        self.entities[entity.id] = replace(
            known,
            type=known.type or entity.type,
            description=_joined(known.description, entity.description),
            aliases=tuple(alias for alias in aliases if alias != known.name),
        )

    def add_relation(self, relation: Relation) -> None:
        """Add a relation, or what it says of one that is there."""
        known = self.relations.get(relation.id)
        self.chunk_ids.setdefault(relation.id, set()).update(relation.chunk_ids)
        if known is None:
            self.relations[relation.id] = relation
            return
        self.relations[relation.id] = replace(
            known,
            description=_joined(known.description, relation.description),
            weight=known.weight + relation.weight,
        )

    def sorted_entities(self) -> list[Entity]:
        """Return the entities by id."""
        found = sorted(self.entities.values(), key=lambda entity: entity.id)
        return [replace(one, chunk_ids=tuple(sorted(self.chunk_ids[one.id]))) for one in found]

    def sorted_relations(self) -> list[Relation]:
        """Return the relations by id, with the names of their ends."""
        return [
            replace(
                one,
                weight=round(one.weight, 6),
                chunk_ids=tuple(sorted(self.chunk_ids[one.id])),
                subject=self.entities[one.source].name,
                object=self.entities[one.target].name,
            )
            for one in sorted(self.relations.values(), key=lambda relation: relation.id)
        ]


def _same(imported: Iterable[Entity], read: Sequence[Entity]) -> dict[str, str]:
    """Map the ids of read entities to those of the imported ones that they are."""
    own, others = _by_key(imported), _by_key(read)
    return {
        others[key][0].id: own[key][0].id
        for key in own.keys() & others.keys()
        if len(own[key]) == len(others[key]) == 1
        and len({type_family(one.type) for one in (own[key][0], others[key][0])} - {""}) < 2
    }


def _by_key(entities: Iterable[Entity]) -> dict[str, list[Entity]]:
    found: dict[str, list[Entity]] = {}
    for entity in entities:
        found.setdefault(name_key(entity.name), []).append(entity)
    return found


def _moved(relation: Relation, same: Mapping[str, str]) -> Relation:
    """Return a relation between the imported entities that its ends are."""
    source = same.get(relation.source, relation.source)
    target = same.get(relation.target, relation.target)
    if (source, target) == (relation.source, relation.target):
        return relation
    id_ = _hash(source, name_key(relation.predicate), target)
    return replace(relation, id=id_, source=source, target=target)


def _joined(known: str, further: str) -> str:
    return known if further in known else f"{known} {further}".strip()


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:16]
