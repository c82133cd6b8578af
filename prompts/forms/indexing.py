"""The forms of replies while a base is built: graphs of passages, their tidying, reports."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints, field_validator

HIGHEST_RATING = 10.0

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_REFERENCE = re.compile(r"(?<!\d)\d{1,9}(?!\d)")
_MOST_REFERENCES = 100
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


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


def _rating(value: Any) -> Any:
    """Return a number from 0 to 10 for the ways in which models spell one: 8, "8.5", "8/10"."""
    match = _NUMBER.search(value) if isinstance(value, str) else None
    number = float(match.group()) if match else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        return 0.0
    return float(min(max(0.0, number), HIGHEST_RATING))  # in this order NaN is 0


def _numbers(value: Any) -> list[int]:
    """Return the whole numbers in a list or text such as "[3, 5]", in order."""
    items = value if isinstance(value, list) else [value]
    texts = (str(item) for item in items[:_MOST_REFERENCES] if isinstance(item, str | int))
    return [int(number) for text in texts for number in _REFERENCE.findall(text)]


class FindingItem(BaseModel):
    """One insight."""

    summary: _Text
    explanation: str = ""
    references: Annotated[list[int], BeforeValidator(_numbers)] = Field(default_factory=list)


class ReportForm(BaseModel):
    """A report on a community; malformed findings are left out, not refused."""

    # The prompt says what each part holds; the schema goes out with every call, too.

    title: _Text
    summary: _Text
    rating: Annotated[float, BeforeValidator(_rating)] = 0.0
    findings: list[FindingItem] = Field(default_factory=list)

    @field_validator("findings", mode="before")
    @classmethod
    def _keep_stated(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return []
        items = (item.model_dump() if isinstance(item, BaseModel) else item for item in value)
        return [_texts_only(item) for item in items if _is_stated(item)]


def _is_stated(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    summary = item.get("summary")
    return isinstance(summary, str) and bool(summary.strip())


def _texts_only(item: dict[str, Any]) -> dict[str, Any]:
    """Return the item without an explanation that is no text."""
    explanation = item.get("explanation", "")
    return item if isinstance(explanation, str) else {**item, "explanation": ""}
