"""The text that is embedded for an item, and the hash that its vector is stored under."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.names import is_unnamed

HashArray = NDArray[np.bytes_]
HASH_TYPE = "S32"
_ENTITY_CHARACTERS = 300


def text_hash(text: str) -> str:
    """Return the hash of an embedded text: 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()


def entity_text(name: str, description: str) -> str:
    """Return what is embedded for an entity; empty for one without a name or description."""
    if is_unnamed(name) and not description:
        return ""
    text = f"{name}: {description}" if name and description else name
    return text[:_ENTITY_CHARACTERS]


def passage_text(title: str, text: str) -> str:
    """Return what is embedded for a passage (as `Chunk.embedded_text`)."""
    return f"{title}\n{text}"


def relation_text(subject: str, predicate: str, target: str, description: str) -> str:
    """Return what is embedded for a relation (as `Relation.text`)."""
    return description or f"{subject} {predicate} {target}"
