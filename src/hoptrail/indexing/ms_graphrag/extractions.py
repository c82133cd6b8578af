"""The content of an imported index passage by passage, in the form of extractions."""

from __future__ import annotations

from collections.abc import Mapping

from hoptrail.core.types import ExtractedEntity, ExtractedRelation, Extraction
from hoptrail.indexing.ms_graphrag.folder import GivenIndex
from hoptrail.indexing.ms_graphrag.graph import PREDICATE


def extractions(index: GivenIndex, chunk_ids: Mapping[str, str]) -> dict[str | None, Extraction]:
    """Return the entities and relations of an index by chunk, under None those of no passage.

    What stands in several passages is said of each, a relation with its share of the weight.

    Args:
        index: The index.
        chunk_ids: Ids of the chunks by id of the text unit.
    """
    entities: dict[str | None, list[ExtractedEntity]] = {}
    relations: dict[str | None, list[ExtractedRelation]] = {}
    for entity in index.entities:
        mention = ExtractedEntity(entity.name, entity.type, entity.description)
        for place in _places(entity.units, chunk_ids):
            entities.setdefault(place, []).append(mention)
    for one in index.relationships:
        places = _places(one.units, chunk_ids) if one.is_usable else []
        for place in places:
            relations.setdefault(place, []).append(
                ExtractedRelation(
                    one.source, PREDICATE, one.target, one.description, one.weight / len(places)
                )
            )
    found = {*chunk_ids.values(), *entities, *relations}
    return {
        place: Extraction(tuple(entities.get(place, ())), tuple(relations.get(place, ())))
        for place in sorted(found, key=lambda place: place or "")
    }


def _places(units: tuple[str, ...], chunk_ids: Mapping[str, str]) -> list[str | None]:
    known = dict.fromkeys(chunk_ids[unit] for unit in units if unit in chunk_ids)
    return list(known) or [None]
