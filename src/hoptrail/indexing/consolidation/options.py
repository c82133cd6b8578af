"""The choices of one consolidation run."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.errors import SettingsError
from hoptrail.indexing.consolidation.look_alikes import SIMILARITY


@dataclass(frozen=True, slots=True)
class ConsolidationOptions:
    """How to tidy the graph.

    Attributes:
        entity_types: Types of the schema from now on; those that the base has where empty. Types
            are relabelled only where there are any.
        similarity: Least cosine of entities that the model is asked about. The source's 0.6 asks
            about most entities of a large graph, 0.8 about a third of them.
        concurrency: Model calls at the same time.
        max_usd: What the run may spend at most.
    """

    entity_types: tuple[str, ...] = ()
    similarity: float = SIMILARITY
    concurrency: int = 4
    max_usd: float | None = None

    def __post_init__(self) -> None:
        if not all(name.strip() for name in self.entity_types):
            raise SettingsError("an entity type has no name", hint="name a type such as Person")
        if not 0 < self.similarity <= 1:
            raise SettingsError(f"similarity is {self.similarity}", hint="choose above 0, up to 1")
        if self.concurrency < 1:
            raise SettingsError("concurrency must be at least 1")
        if self.max_usd is not None and self.max_usd < 0:
            raise SettingsError(f"max_usd is {self.max_usd}", hint="choose 0 or more")
