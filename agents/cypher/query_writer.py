"""A model writes the query that answers a question, and mends it once."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.agents.decision import PromptedModel
from hoptrail.prompts.forms.planning import GraphQuery
from hoptrail.tools.cypher import QueryGuide

FOUND_NOTHING = "It ran and found nothing."
_LONGEST_REPLY = 800  # tokens


@dataclass(frozen=True, slots=True)
class FailedQuery:
    """A query that gave no answer, and why in one line."""

    query: str
    problem: str


async def write_query(
    question: str, guide: QueryGuide, model: PromptedModel, failed: FailedQuery | None = None
) -> str:
    """Return the query that a model writes, "" where it finds nothing to ask the graph.

    Args:
        question: The standalone question.
        guide: What a query may name.
        model: The model.
        failed: The first query, which is to be mended.

    Raises:
        ModelError: If the model cannot be reached or its reply not be read.
        BudgetExceededError: If nothing is left to spend on it.
    """
    inputs = {"schema": guide.schema, "names": guide.names, "question": question}
    if failed is None:
        reply = await model.structured("write_cypher", GraphQuery, _LONGEST_REPLY, **inputs)
    else:
        reply = await model.structured(
            "mend_cypher",
            GraphQuery,
            _LONGEST_REPLY,
            **inputs,
            query=failed.query,
            problem=failed.problem,
        )
    return _bare(reply.query)


def _bare(text: str) -> str:
    """Return a query without the fence that models put around code."""
    lines = text.strip().splitlines()
    if lines and lines[0].startswith("```"):
        lines = lines[1:]
    if lines and lines[-1].strip() == "```":
        lines = lines[:-1]
    return "\n".join(lines).strip()
