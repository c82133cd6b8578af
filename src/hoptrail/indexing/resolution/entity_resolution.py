"""From mentions to the graph: a pure function of the set of mentions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from hoptrail.core.types import Entity, Relation
from hoptrail.core.types.graph import Merge
from hoptrail.indexing.resolution.graph_drafts import GraphDrafts, Place, entity_id
from hoptrail.indexing.resolution.name_merges import NameMerges
from hoptrail.indexing.resolution.readings import Mention, read_mentions
from hoptrail.indexing.resolution.senses import Senses
from hoptrail.stores.records.graph_decisions import Decisions

_UNDECIDED = Decisions()


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
    readings = read_mentions(mentions)
    senses = Senses(readings, within)
    names = NameMerges(readings, senses, decisions, within)
    drafts = GraphDrafts(readings, senses, names, decisions.type_labels, within)
    entities = drafts.entities()
    relations = drafts.relations([entity.name for entity in entities])
    return Resolution(entities, relations, _merges(names), drafts.labels(), drafts.meanings())


def _merges(names: NameMerges) -> list[Merge]:
    found = [
        Merge(
            id=Merge.make_id(kept.label, merged.label),
            entity_id=entity_id(names.root(kept)),
            kept=kept.label,
            merged=merged.label,
            reason=reason,
        )
        for (kept, merged), reason in names.pairs.items()
    ]
    return sorted(found, key=lambda merge: merge.id)
