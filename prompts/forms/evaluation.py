"""The forms of replies in an evaluation: verdicts of judges, and questions about a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, create_model

Choice = Literal["A", "B", "tie"]


class EquivalenceVerdict(BaseModel):
    """Reply to `judge_equivalence`."""

    reason: str = Field("", description="Why, in one sentence")
    equivalent: bool = Field(description="Whether the answer says the same as an accepted one")


def _plain_choice(value: Any) -> Any:
    """Return `A`, `B` or `tie` for the ways in which models spell them."""
    if not isinstance(value, str):
        return value
    word = value.strip(" \t\n.*\"'").casefold().removeprefix("answer").strip(" _:-")
    return {"a": "A", "b": "B", "tie": "tie", "draw": "tie", "equal": "tie"}.get(word, value)


class Preference(BaseModel):
    """Which of two answers is better by one criterion."""

    reason: str = Field("", description="What makes the difference, in one sentence")
    winner: Annotated[Choice, BeforeValidator(_plain_choice)] = Field(description="A, B or tie")


def preferences_form(criteria: Mapping[str, str]) -> type[BaseModel]:
    """Return the form of the reply to `judge_pair`: a `Preference` by criterion, none left out.

    Args:
        criteria: Definition by name; a name is a Python identifier.
    """
    fields: dict[str, Any] = {
        name: (Preference, Field(description=definition)) for name, definition in criteria.items()
    }
    return create_model("Preferences", **fields)


class CorpusDescription(BaseModel):
    """Reply to `describe_corpus`."""

    description: str = Field(min_length=1, description="One paragraph on the collection")


class Persona(BaseModel):
    """Somebody who would use the corpus."""

    label: str = Field(min_length=1, description="A job title or the like")
    needs: str = Field("", description="What the person needs the collection for")


class Personas(BaseModel):
    """Reply to `write_personas`."""

    personas: list[Persona] = Field(min_length=1)


class Tasks(BaseModel):
    """Reply to `write_tasks`."""

    tasks: list[str] = Field(min_length=1, description="One sentence each")


class GlobalQuestions(BaseModel):
    """Reply to `write_global_questions`."""

    questions: list[str] = Field(min_length=1, description="One sentence each")
