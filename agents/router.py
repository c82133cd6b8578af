"""Sort a question into bridge, comparison or inference (source 000, question routing)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelError
from hoptrail.core.types import QuestionType
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.loader import load_prompt

MAX_ROUTE_TOKENS = 5

_TYPES: tuple[QuestionType, ...] = ("bridge", "comparison", "inference")
_COMPARISON = re.compile(
    r"""\b(?:both|same|compared?|versus|vs|differ(?:s|ent|ence)?|in\s+common|either)\b
    |\b(?:which|who|what|whose)\b[^?]*\b(?:more|less|fewer|older|younger|earlier|later|larger|
        bigger|smaller|longer|shorter|taller|higher|lower|first|last|better)\b[^?]*(?:,|\bor\b|:)
    |\b(?:more|less|fewer|older|younger|earlier|later|larger|bigger|smaller|longer|shorter|taller|
        higher|lower)\s+(?:\w+\s+){0,3}than\b
    |^(?:is|are|was|were|do|does|did|has|have|which|who)\b[^?]*\s(?:or|and)\s[^?]*
        \b(?:both|same|also|too)\b
    |^(?:is|are|was|were|did|does|do|has|have)\b[^?]*\bor\b[^?]*\b(?:first|earlier|later|older|
        younger|longer|larger|more)\b
    |,\s[^,?]+\s+or\s+[^,?]+\?*$|:\s[^?]+\s+or\s+[^?]+\?*$""",
    re.IGNORECASE | re.VERBOSE,
)
_CHAIN = re.compile(
    r"""\bof\s+(?:the|a|an|his|her|its)\s+\w+.*\b(?:of|by|in|from|where|who|that|which|with)\b
    |\b(?:the|a|an)\s+[\w\s-]+?\b(?:who|that|which|where|whose|whom)\b
    |['’]s\s+(?:\w+\s+){0,3}\w+.*\b(?:of|['’]s)\b
    |\bthe\s+\w+\s+of\s+the\b
    |\b(?:wife|husband|spouse|mother|father|son|daughter|author|director|founder|creator|composer|
        performer|publisher|producer|birthplace|capital|country|city|employer)\s+of\b
    |\bof\s+the\s+\w+\s+\w+ed\b""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Routing:
    """A question's type; `degraded` where a model should have decided and rules did."""

    question_type: QuestionType
    degraded: bool = False


async def route(
    question: str, model: RoleModel | None, meter: Meter, *, prompts_dir: Path | None = None
) -> Routing:
    """Return the question's type by one model call of at most 5 tokens, else by its wording.

    Raises:
        BudgetExceededError: If no call is left.
    """
    if model is None:
        return Routing(route_by_wording(question))
    messages = load_prompt("route", prompts_dir).render(question=question)
    try:
        reply = await model.reply(
            messages, meter=meter, temperature=0.0, max_tokens=MAX_ROUTE_TOKENS
        )
    except ModelError:
        return Routing(route_by_wording(question), degraded=True)
    question_type = parse_type(reply)
    if question_type is None:
        return Routing(route_by_wording(question), degraded=True)
    return Routing(question_type)


def parse_type(reply: str) -> QuestionType | None:
    """Return the first type that a reply names, cut-off words included, or None."""
    found: list[tuple[int, QuestionType]] = [
        (match.start(), name)
        for name in _TYPES
        if (match := re.search(name[:5], reply, re.IGNORECASE)) is not None
    ]
    return min(found)[1] if found else None


def route_by_wording(question: str) -> QuestionType:
    """Return the type by cues: alternatives and degrees compare, clauses in a chain bridge."""
    text = " ".join(question.split())
    if _COMPARISON.search(text):
        return "comparison"
    return "bridge" if _CHAIN.search(text) else "inference"
