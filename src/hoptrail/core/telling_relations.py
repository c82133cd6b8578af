"""Relations that tell a reader something, apart from those that only join two names."""

from __future__ import annotations

import re

from hoptrail.core.types import Relation

CO_OCCURS = "co-occurs with"
"""Predicate of relations that were found without a model and say no more than their sentence."""

_LETTER = re.compile(r"[^\W\d_]")


def is_telling(relation: Relation) -> bool:
    """Return whether a relation says more than the passage that it was read from shows at a glance.

    Two names that share a sentence say nothing, and neither does a triple that lacks a part, joins
    a thing with itself, or is about a bare number or date ("1921 | was | Norwegian"). On a graph
    without passages every relation counts: there is nothing else to read.
    """
    subject, predicate, object_ = relation.subject, relation.predicate, relation.object
    if predicate == CO_OCCURS or not (subject.strip() and predicate.strip() and object_.strip()):
        return False
    is_named = _LETTER.search(subject) is not None
    return is_named and subject.casefold() != object_.casefold()
