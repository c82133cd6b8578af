"""The paths of the application, one module a subject, and the base of their requests' bodies."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


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
