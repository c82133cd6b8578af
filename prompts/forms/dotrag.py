"""The forms of replies while DotRAG searches: concepts, constraints, judged paths, queries."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class NamedSpan(BaseModel):
    """A thing that the question names."""

    text: str = Field(description="The span, copied from the question")
    guess: str = Field("", description="What it is, in one or two sentences")


class Concepts(BaseModel):
    """Reply to `write_concepts`: where the search begins."""

    spans: list[NamedSpan] = Field(default_factory=list, description="At most 3 named things")
    topics: list[str] = Field(default_factory=list, description="Broad themes")
    needs_topics: bool = Field(False, description="Whether the spans alone do not suffice")


class Constraints(BaseModel):
    """Reply to `write_constraints`: which paths from one concept are worth keeping."""

    query: str = Field("", description="What the question demands of its answer")
    intermediate: str = Field("", description="What counts as useful intermediate evidence")
    terminal: str = Field("", description="What evidence satisfies the question")
    entity_types: list[str] = Field(
        default_factory=list, description="Types worth keeping, from the schema; none: all"
    )


class PathVerdict(BaseModel):
    """The judge's verdict on one path."""

    path: int = Field(description="Number of the path")
    verdict: Literal["complete", "partial", "irrelevant"] = Field(
        description="Leave irrelevant paths out"
    )
    confidence: float = Field(0.5, ge=0, le=1)
    next_question: str = Field("", description="For a partial path: what leads one hop on")


class PathVerdicts(BaseModel):
    """Reply to `judge_paths`: what is left out is irrelevant."""

    verdicts: list[PathVerdict] = Field(description="The paths that help, none where none does")


class NextQuery(BaseModel):
    """Reply to `write_query`."""

    query: str = Field(description="A search that was not made before")
