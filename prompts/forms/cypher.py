"""The form of replies where a model queries a graph."""

from __future__ import annotations

from pydantic import BaseModel, Field


class GraphQuery(BaseModel):
    """Reply to `write_cypher` and `mend_cypher`."""

    query: str = Field(
        "", description="One Cypher query; empty where the schema holds no answer to the question"
    )
