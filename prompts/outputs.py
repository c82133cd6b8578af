"""The forms of the replies that are read as structured output."""

from __future__ import annotations

from pydantic import BaseModel, Field


class StandaloneQuestion(BaseModel):
    """Reply to `contextualize`."""

    question: str = Field(
        min_length=1, max_length=2000, description="The question, complete without the conversation"
    )
