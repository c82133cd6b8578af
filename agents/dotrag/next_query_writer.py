"""Write the next query of a search where no judged path suggests one (DotRAG, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.core.text import content_words, normalize_answer
from hoptrail.prompts.forms.dotrag import NextQuery

_LONGEST_QUERY = 300


async def write_query(question: str, searched: Sequence[str], model: PromptedModel | None) -> str:
    """Return a query that repeats none of those made, empty where there is no other.

    Args:
        question: The standalone question.
        searched: The queries that were made.
        model: Model of the role `decomposer`; without one the question's content words are it.
    """
    made = {normalize_answer(query) for query in searched}

    def if_new(query: str) -> str:
        text = " ".join(query.split())[:_LONGEST_QUERY]
        return "" if normalize_answer(text) in made else text

    async def ask(model: PromptedModel) -> str | None:
        listed = "\n".join(f"- {query}" for query in searched)
        reply = await model.structured("write_query", NextQuery, question=question, searched=listed)
        return if_new(reply.query) or None

    return await decide(model, ask, lambda: if_new(" ".join(content_words(question))))
