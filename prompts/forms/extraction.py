"""The form of the reply to `extract`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, field_validator


class EntityItem(BaseModel):
    """One named thing of a passage."""

    name: str = Field(description="Fullest name in the passage")
    type: str = Field("", description="Kind of thing")
    description: str = Field("", description="One sentence about it, from the passage")
    aliases: list[str] = Field(default_factory=list, description="Other names in the passage")


class RelationItem(BaseModel):
    """One stated fact."""

    subject: str = Field(description="Name of an entity")
    predicate: str = Field(description="A few plain words")
    object: str = Field(description="Name of an entity")
    description: str = Field("", description="The fact as one full sentence")


class ExtractedGraph(BaseModel):
    """Entities and relations of a passage; malformed items are left out, not refused."""

    entities: list[EntityItem] = Field(default_factory=list)
    relations: list[RelationItem] = Field(default_factory=list)

    @field_validator("entities", mode="before")
    @classmethod
    def _keep_named(cls, value: Any) -> Any:
        return _well_formed(value, ("name",))

    @field_validator("relations", mode="before")
    @classmethod
    def _keep_complete(cls, value: Any) -> Any:
        return _well_formed(value, ("subject", "predicate", "object"))


def _well_formed(value: Any, required: tuple[str, ...]) -> Any:
    """Return the items that have all required texts, other fields of the wrong type left out."""
    if not isinstance(value, list):
        return value
    items = (item.model_dump() if isinstance(item, BaseModel) else item for item in value)
    return [
        {key: part for key, part in item.items() if _fits(key, part)}
        for item in items
        if isinstance(item, dict)
        and all(isinstance(item.get(key), str) and item[key].strip() for key in required)
    ]


def _fits(key: str, value: Any) -> bool:
    if key == "aliases":
        return isinstance(value, list) and all(isinstance(alias, str) for alias in value)
    return isinstance(value, str)
