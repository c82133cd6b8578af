"""The forms of the replies from which questions about a whole corpus are made."""

from __future__ import annotations

from pydantic import BaseModel, Field


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
