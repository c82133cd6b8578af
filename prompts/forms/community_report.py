"""The form of the reply to `report_community`."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints, field_validator

HIGHEST_RATING = 10.0

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_REFERENCE = re.compile(r"(?<!\d)\d{1,9}(?!\d)")
_MOST_REFERENCES = 100
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


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
