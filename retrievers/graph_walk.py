"""Compression of evidence by a walk from the question's entities; no model, no embedding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hoptrail.core.render import entity_line, heading_tokens, passage_tokens, relation_line
from hoptrail.core.text import STOP_WORDS, content_words, words
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Chunk, Entity, Evidence, Hit, Relation
from hoptrail.retrievers.seeds import stands_in

T = TypeVar("T")
_SHORTEST_PARTIAL_WORD = 5


@dataclass(frozen=True, slots=True)
class GraphWalkCompressor:
    """Keeps what lies near the question's entities in the retrieved graph.

    Seeds are retrieved entities whose name matches the question; a breadth-first walk over the
    retrieved relations tags what it reaches with its distance; entities that share a retrieved
    passage with a reached one join. Under the budget come first entities and relations by distance,
    then passages by how many reached entities they mention, then passages that share only words
    with the question, then reports. Hits carry their hop, so that `core.render` lays them out hop
    by hop. Without a seed the evidence stays as it is.

    Source: thesis 000, section 3.4 (graph-walk context compression).

    Attributes:
        hops: Reach of the walk.
        budget: Tokens of the compressed evidence when rendered.
    """

    hops: int = 3
    budget: int = 4_000

    def compress(self, question: str, evidence: Evidence) -> Evidence:
        """Return the part of the evidence that the walk reaches, within the budget."""
        seeds = match_seeds(question, evidence.entities)
        if not seeds:
            return evidence
        hops = _distances(seeds, evidence.relations, self.hops)
        ...
