"""The form of the reply to `map_communities`: lenient, so that one bad point costs no other."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

_SCORE = re.compile(r"-?\d{1,6}(?:\.\d+)?")
_NUMBER = re.compile(r"\d{1,6}")


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _score(value: Any) -> int:
    """Return the first number that is written, a share of 1 in percent; 1 where there is none."""
    found = _SCORE.search(str(value))
    if found is None:
        return 1
    score = float(found.group())
    return round(100 * score if 0 < score < 1 else score)


def _numbers(value: Any) -> list[int]:
    """Return all numbers that are written, be it as a list or as a text."""
    return [int(number) for number in _NUMBER.findall(str(value))]


def _objects(value: Any) -> list[Any]:
    """Return the objects of what should be a list of them; a single one stands for its list."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict | BaseModel)]


class HelpfulPoint(BaseModel):
    """One claim that reports contribute to an answer."""

    text: Annotated[str, BeforeValidator(_text)] = Field(
        "", description="The claim, complete in itself"
    )
    helpfulness: Annotated[int, BeforeValidator(_score)] = Field(
        1, description="From 0 (does not help) to 100 (answers the question)"
    )
    reports: Annotated[list[int], BeforeValidator(_numbers)] = Field(
        default_factory=list, description="Numbers of the reports that it rests on"
    )


class HelpfulPoints(BaseModel):
    """Reply to `map_communities`."""

    points: Annotated[list[HelpfulPoint], BeforeValidator(_objects)] = Field(
        default_factory=list, description="At most 8, the most helpful first"
    )
