"""Values of a fact, such as dates, which rules tell apart from things."""

from __future__ import annotations

from hoptrail.core.types import VALUE_TYPES, Extraction
from hoptrail.indexing.resolution.name_keys import NameKeys

BY_RULES = "nlp:4"
"""The name under which the present rules store what they read."""

TELLING_VALUES = frozenset({"nlp:2", "nlp:3", BY_RULES})
"""The names of rules that tell values apart from things."""

_NO_KEYS: frozenset[str] = frozenset()


def value_keys(extractor: str, extraction: Extraction, keys: NameKeys) -> frozenset[str]:
    """Return the keys of the values among what rules read at a place: dates, numbers, addresses.

    What a model, a user or the first rules took for a thing stays one.
    """
    if extractor not in TELLING_VALUES:
        return _NO_KEYS
    return frozenset(keys[one.name] for one in extraction.entities if one.type in VALUE_TYPES)
