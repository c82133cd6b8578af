"""From mentions to the graph: a pure function of the set of mentions."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hoptrail.core.text import name_key
from hoptrail.core.types import Entity, ExtractedRelation, Relation
from hoptrail.core.types.merge import Merge
from hoptrail.indexing.resolution.entity_types import type_family
from hoptrail.indexing.resolution.name_merges import NameMerges
from hoptrail.indexing.resolution.senses import Mention, Sense, Senses
from hoptrail.indexing.resolution.values import value_keys
from hoptrail.stores.records.consolidation_table import Decisions

Place = tuple[str, str, str]
"""Key of a name, document and family of the name's type there."""

_UNDECIDED = Decisions()
_DESCRIPTION_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class Resolution:
    """The graph that a set of mentions makes, everything sorted by id.

    `labels` tells entities in resolution's own terms, by id: they are what a `Merge` names.
    `meanings` tells which entity a name is in a document, by key, document and family of type.
    """

    entities: list[Entity]
    relations: list[Relation]
    merges: list[Merge]
    labels: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[Place, str] = field(default_factory=dict)


def resolve(
    mentions: Iterable[Mention],
    decisions: Decisions = _UNDECIDED,
    *,
    within: Collection[str] | None = None,
) -> Resolution:
    """Return entities, relations and merges of the mentions, whatever their order.

    Names with the same `name_key` are one entity unless types or neighbourhoods conflict (see
    `Senses`); other names join it by an unambiguous alias or a model's word (see `NameMerges`).
    Ids hash what tells an entity apart, so they do not depend on documents that were deleted.

    Args:
        mentions: Document id, chunk id, extractor and extraction, one per place.
        decisions: What is to stay apart, what is one thing, and how types are to be called.
        within: Keys of the names to resolve, None for all. Of other names only values are told,
            and no relation with one of them.
    """
    ordered = sorted(mentions, key=lambda m: (m[0], m[1] or "", m[2]))
    senses = Senses(ordered, within)
    names = NameMerges(ordered, senses, decisions, within)
    drafts = _Drafts(senses, names, decisions.type_labels, within)
    for mention in ordered:
        drafts.add(mention)
    return Resolution(
        drafts.entities(), drafts.relations(), _merges(names), drafts.labels(), drafts.meanings
    )


@dataclass(slots=True)
class _EntityDraft:
    names: dict[str, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    descriptions: dict[str, None] = field(default_factory=dict)
    aliases: set[str] = field(default_factory=set)
    chunk_ids: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _RelationDraft:
    predicates: dict[str, int] = field(default_factory=dict)
    descriptions: dict[str, None] = field(default_factory=dict)
    weight: float = 0.0
    chunk_ids: set[str] = field(default_factory=set)


class _Drafts:
    """Entities and relations while mentions are added to them."""

    def __init__(
        self,
        senses: Senses,
        names: NameMerges,
        type_labels: Mapping[str, str],
        within: Collection[str] | None,
    ) -> None:
        self._senses = senses
        self._names = names
        self._type_labels = type_labels
        self._within = within
        self.meanings: dict[Place, str] = {}
        self._ids: dict[Sense, str] = {}
        self._entities: dict[str, _EntityDraft] = {}
        self._relations: dict[tuple[str, str, str], _RelationDraft] = {}

    def add(self, mention: Mention) -> None:
        """Add what one place says."""
        doc_id, chunk_id, extractor, extraction = mention
        values = value_keys(extractor, extraction)
        families: dict[str, str] = {}
        for entity in extraction.entities:
            key = name_key(entity.name)
            if not key:
                continue
            families.setdefault(key, type_family(entity.type))
            sense = self._sense(key, doc_id, type_family(entity.type), values)
            if sense is None:
                continue
            draft = self._draft(sense, entity.name, chunk_id)
            if entity.type:
                _count(draft.types, self._type_labels.get(name_key(entity.type), entity.type))
            draft.aliases.update(alias for alias in entity.aliases if name_key(alias))
            if entity.description:
                draft.descriptions.setdefault(entity.description)
        for relation in extraction.relations:
            source, target = name_key(relation.subject), name_key(relation.object)
            if source and target:
                ends = (
                    self._sense(source, doc_id, families.get(source, ""), values),
                    self._sense(target, doc_id, families.get(target, ""), values),
                )
                self._add_relation(relation, ends, chunk_id)

    def _sense(self, key: str, doc_id: str, family: str, values: frozenset[str]) -> Sense | None:
        if key in values:
            return self._senses.of_value(key, doc_id)
        if self._within is not None and key not in self._within:
            return None
        sense = self._senses.of(key, doc_id, family)
        if self._within is not None:
            self.meanings[key, doc_id, family] = self._id(sense)
        return sense

    def entities(self) -> list[Entity]:
        """Return the entities by id."""
        return [_entity(id_, self._entities[id_]) for id_ in sorted(self._entities)]

    def relations(self) -> list[Relation]:
        """Return the relations by id."""
        names = {id_: _most_common(draft.names) for id_, draft in self._entities.items()}
        found = [
            Relation(
                id=_hash(source, key, target),
                source=source,
                predicate=_most_common(draft.predicates),
                target=target,
                description=_joined(draft.descriptions),
                weight=round(draft.weight, 6),
                chunk_ids=tuple(sorted(draft.chunk_ids)),
                subject=names[source],
                object=names[target],
            )
            for (source, key, target), draft in self._relations.items()
        ]
        return sorted(found, key=lambda relation: relation.id)

    def labels(self) -> dict[str, str]:
        """Return the label of each entity's root sense, by id."""
        return {id_: self._names.root(sense).label for sense, id_ in self._ids.items()}

    def _add_relation(
        self,
        relation: ExtractedRelation,
        ends: tuple[Sense | None, Sense | None],
        chunk_id: str | None,
    ) -> None:
        for sense, name in zip(ends, (relation.subject, relation.object), strict=True):
            if sense is not None:
                self._draft(sense, name, chunk_id)
        if ends[0] is None or ends[1] is None:
            return
        source, target = self._id(ends[0]), self._id(ends[1])
        predicate = " ".join(relation.predicate.split())
        if source == target or not predicate:
            return
        place = (source, name_key(predicate), target)
        draft = self._relations.get(place)
        if draft is None:
            draft = self._relations[place] = _RelationDraft()
        _count(draft.predicates, predicate)
        draft.weight += relation.weight
        if relation.description:
            draft.descriptions.setdefault(relation.description)
        if chunk_id is not None:
            draft.chunk_ids.add(chunk_id)

    def _draft(self, sense: Sense, name: str, chunk_id: str | None) -> _EntityDraft:
        id_ = self._id(sense)
        draft = self._entities.get(id_)
        if draft is None:
            draft = self._entities[id_] = _EntityDraft()
        _count(draft.names, name.strip())
        if chunk_id is not None:
            draft.chunk_ids.add(chunk_id)
        return draft

    def _id(self, sense: Sense) -> str:
        id_ = self._ids.get(sense)
        if id_ is None:
            id_ = self._ids[sense] = _entity_id(self._names.root(sense))
        return id_


def _entity(id_: str, draft: _EntityDraft) -> Entity:
    name = _most_common(draft.names)
    return Entity(
        id=id_,
        name=name,
        type=_most_common(draft.types),
        description=_joined(draft.descriptions),
        aliases=tuple(_aliases(name, draft)),
        chunk_ids=tuple(sorted(draft.chunk_ids)),
    )


def _aliases(name: str, draft: _EntityDraft) -> Iterator[str]:
    """Yield one spelling for each further name, the commonest one."""
    seen = {name_key(name)}
    by_count = sorted(draft.names, key=lambda other: (-draft.names[other], other))
    for alias in (*by_count, *sorted(draft.aliases)):
        if name_key(alias) not in seen:
            seen.add(name_key(alias))
            yield alias


def _merges(names: NameMerges) -> list[Merge]:
    found = [
        Merge(
            id=Merge.make_id(kept.label, merged.label),
            entity_id=_entity_id(names.root(kept)),
            kept=kept.label,
            merged=merged.label,
            reason=reason,
        )
        for (kept, merged), reason in names.pairs.items()
    ]
    return sorted(found, key=lambda merge: merge.id)


def _entity_id(sense: Sense) -> str:
    return _hash(sense.key, sense.family, sense.facts)


def _hash(*parts: str) -> str:
    joined = "\0".join(parts)
    return hashlib.sha256(joined.encode(errors="replace")).hexdigest()[:16]


def _count(counts: dict[str, int], text: str) -> None:
    counts[text] = counts.get(text, 0) + 1


def _most_common(counts: Mapping[str, int]) -> str:
    """Return the most frequent text, ties in lexicographic order, "" where there is none."""
    if len(counts) == 1:
        return next(iter(counts))
    return min(counts, key=lambda text: (-counts[text], text), default="")


def _joined(descriptions: Iterable[str]) -> str:
    """Return the descriptions as one text, as many whole ones as fit (the first is cut to fit)."""
    text = ""
    for description in descriptions:
        longer = f"{text} {description}" if text else description[:_DESCRIPTION_CHARACTERS]
        if len(longer) > _DESCRIPTION_CHARACTERS:
            break
        text = longer
    return text
