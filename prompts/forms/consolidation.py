"""The forms of the replies by which a model tidies an extracted graph."""

from __future__ import annotations

from pydantic import BaseModel, Field


class SameThings(BaseModel):
    """Reply to `confirm_merges`."""

    same: list[list[int]] = Field(
        default_factory=list, description="Sets of numbers of entities that are one thing"
    )


class TypeLabel(BaseModel):
    """The schema's name for one type."""

    number: int
    type: str = Field(description="A type of the schema")


class TypeLabels(BaseModel):
    """Reply to `label_types`."""

    labels: list[TypeLabel] = Field(default_factory=list)
