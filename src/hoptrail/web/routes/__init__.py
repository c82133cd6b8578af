"""The paths of the application, one module a subject, and how they are described to programs."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

Described = dict[int | str, dict[str, Any]]


def sent(description: str, *media_types: str, status: int = 200) -> Described:
    """Return what the description of the API says of a response that is no plain JSON object."""
    content: dict[str, Any] = {media_type: {} for media_type in media_types}
    return {status: {"description": description, "content": content}}


class Body(BaseModel):
    """A body of JSON: unknown fields are refused, and so is text that is none."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _is_text(cls, given: Any) -> Any:
        """Refuse lone surrogates, which JSON can write, and no database and no answer can hold."""
        try:
            json.dumps(given, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            raise ValueError("the text holds half a character") from None
        return given
