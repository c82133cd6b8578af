"""Write the query of the targeted second retrieval: the one fact that an answer lacked."""

from __future__ import annotations

import re
from pathlib import Path

from hoptrail.agents.draft import Draft, Pattern
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelError
from hoptrail.core.text import content_words
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.loader import load_prompt
from hoptrail.prompts.outputs import TargetedQuery

_PLAIN_VARIABLE = re.compile(r"\?(?:[a-z]\d*|answer|result|value|var\w*|unknown)$", re.IGNORECASE)


async def write_targeted_query(
    question: str,
    draft: Draft,
    model: RoleModel | None,
    meter: Meter,
    *,
    prompts_dir: Path | None = None,
) -> str | None:
    """Return a search query for the draft's missing pattern, None where nothing is missing.

    A model is optional: the pattern's own words are a good query.

    Raises:
        BudgetExceededError: If a model is given and no call is left.
    """
    if draft.missing is None:
        return None
    query = query_for(draft.missing, question)
    if model is None:
        return query
    known = "\n".join(hop.claim for hop in draft.hops) or "nothing"
    messages = load_prompt("targeted", prompts_dir).render(
        question=question, known=known, missing=query
    )
    try:
        return (await model.structured(messages, TargetedQuery, meter=meter)).query
    except ModelError:
        return query


def query_for(missing: Pattern, question: str) -> str:
    """Return the pattern in words, its variables by what their names tell.

    Where no known name is left in it, the question's content words stand in.
    """
    terms = (missing.subject, missing.predicate, missing.object)
    words = " ".join(filter(None, (_term_words(term) for term in terms)))
    if len(missing.variables) == 2 or not words:
        words = " ".join(dict.fromkeys([*words.split(), *content_words(question)]))
    return words


def _term_words(term: str) -> str:
    if not term.startswith("?"):
        return term
    if _PLAIN_VARIABLE.match(term):
        return ""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_|\d+$", " ", term[1:])
    return " ".join(spaced.lower().split())
