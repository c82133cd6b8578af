"""The form of the reply by which a model checks the steps of a trail."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationError


def _plain_state(value: Any) -> Any:
    """Return a state as the form spells it, however the model writes it: "Stated."."""
    return value.strip(" \t\n.*\"'").casefold() if isinstance(value, str) else value


class HopState(BaseModel):
    """How much of one claim its quote states."""

    hop: int = Field(description="Number of the hop")
    reason: str = Field("", description="Why, in a few words")
    state: Annotated[Literal["stated", "partly", "none"], BeforeValidator(_plain_state)]


def _readable(value: Any) -> Any:
    """Return the states that can be read; one that cannot does not spoil the others."""
    if not isinstance(value, list):
        return value
    read = []
    for item in value:
        with suppress(ValidationError):
            read.append(HopState.model_validate(item))
    return read


class HopStates(BaseModel):
    """Reply to `check_hops`."""

    hops: Annotated[list[HopState], BeforeValidator(_readable)] = Field(
        description="One for each hop that is shown"
    )
