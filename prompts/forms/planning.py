"""The forms of replies before retrieval: question, sub-questions, keywords, a query of a graph."""

from __future__ import annotations

from pydantic import BaseModel, Field


class StandaloneQuestion(BaseModel):
    """Reply to `contextualize`."""

    question: str = Field(
        min_length=1, max_length=2000, description="The question, complete without the conversation"
    )


class Decomposition(BaseModel):
    """Reply to `decompose`."""

    sub_questions: list[str] = Field(
        description="Atomic questions in order; #1 stands for the answer of the first one"
    )


class Keywords(BaseModel):
    """Reply to `write_keywords`: LightRAG's two levels."""

    entities: list[str] = Field(default_factory=list, description="Low level: specific things")
    themes: list[str] = Field(default_factory=list, description="High level: broad subjects")


class GraphQuery(BaseModel):
    """Reply to `write_cypher` and `mend_cypher`."""

    query: str = Field(
        "", description="One Cypher query; empty where the schema holds no answer to the question"
    )
