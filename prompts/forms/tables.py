"""The form of replies where a model queries tables."""

from __future__ import annotations

from pydantic import BaseModel, Field


class TableSelect(BaseModel):
    """Reply to `write_sql` and `mend_sql`."""

    query: str = Field(
        "", description="One SQLite SELECT; empty where no table holds the answer to the question"
    )
