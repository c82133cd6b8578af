"""One question on its way through a retriever's channels."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Plan
from hoptrail.stores.knowledge_source import Focus


@dataclass(frozen=True, slots=True)
class Query:
    """A checked question, its unit vector (shape (dim,), None for lexical search), its plan."""

    text: str
    vector: FloatArray | None
    plan: Plan

    @property
    def focus(self) -> Focus:
        """The subject of the retrieval, for the view that it reads."""
        plan = self.plan
        asked = (self.text, *plan.sub_questions, *plan.entities, *plan.keywords)
        return Focus(asked, self.vector)

    @property
    def unit(self) -> FloatArray:
        """The question's vector, of a retriever that embeds."""
        if self.vector is None:
            raise TypeError("this query was made without a vector")
        return self.vector
