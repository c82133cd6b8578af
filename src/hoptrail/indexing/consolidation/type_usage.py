"""Which entity types are in use that a schema does not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hoptrail.agents.extraction.type_labeller import TypeInUse
from hoptrail.core.text import name_key
from hoptrail.indexing.resolution.readings import Mention

_EXAMPLES = 3


def types_outside(
    mentions: Iterable[Mention], schema: Mapping[str, str], labels: Mapping[str, str]
) -> list[TypeInUse]:
    """Return the types that are neither in the schema nor labelled yet, by name key.

    Args:
        mentions: Everything that was read.
        schema: Definition of each allowed type.
        labels: Types in use that have a label already, by name key.
    """
    allowed = {name_key(name) for name in schema}
    examples: dict[str, dict[str, None]] = {}
    spelling: dict[str, str] = {}
    for _, _, _, extraction in mentions:
        for entity in extraction.entities:
            key = name_key(entity.type)
            if not key or key in allowed or key in labels:
                continue
            spelling[key] = min(spelling.get(key, entity.type), entity.type)
            known = examples.setdefault(key, {})
            if len(known) < _EXAMPLES:
                known.setdefault(entity.name)
    return [TypeInUse(spelling[key], tuple(examples[key])) for key in sorted(examples)]
