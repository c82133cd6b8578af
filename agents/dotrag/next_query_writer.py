"""The next query of a search that its judged paths do not lead on (source 002, fallback)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelError
from hoptrail.core.text import content_words, normalize_answer
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.dotrag import NextQuery
from hoptrail.prompts.loader import load_prompt

_LONGEST_QUERY = 300


async def write_query(
    question: str,
    searched: Sequence[str],
    model: RoleModel | None,
    meter: Meter,
    *,
    prompts_dir: Path | None = None,
) -> str:
    """Return a query that repeats none of those made, empty where none comes to mind.

    Raises:
        BudgetExceededError: If a model is given and no call is left.
    """
    known = {normalize_answer(query) for query in searched}
    written = ""
    if model is not None:
        messages = load_prompt("write_query", prompts_dir).render(
            question=question, searched="\n".join(f"- {query}" for query in searched)
        )
        try:
            written = (await model.structured(messages, NextQuery, meter=meter)).query
        except ModelError:
            written = ""
    for query in (written, " ".join(content_words(question))):
        text = " ".join(query.split())[:_LONGEST_QUERY]
        if text and normalize_answer(text) not in known:
            return text
    return ""
