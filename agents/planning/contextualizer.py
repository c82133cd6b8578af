"""Make a follow-up question standalone from the conversation before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from hoptrail.agents.planning.coreference import Turn, resolve_follow_up
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelError
from hoptrail.core.text import content_words, words
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.planning import StandaloneQuestion
from hoptrail.prompts.loader import load_prompt

MAX_TURNS = 6
_MAX_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class Standalone:
    """A complete question; `degraded` where a model should have written it and rules did."""

    question: str
    degraded: bool = False


async def contextualize(
    question: str,
    history: Sequence[BaseMessage],
    model: RoleModel | None,
    meter: Meter,
    *,
    prompts_dir: Path | None = None,
) -> Standalone:
    """Return the question as it reads without the messages before it.

    `history` ends before the question; without any turn no model is called.

    Raises:
        BudgetExceededError: If a model is given and no call is left.
    """
    turns = turns_of(history)
    if not turns:
        return Standalone(question)
    if model is None:
        return Standalone(resolve_follow_up(question, turns))
    messages = load_prompt("contextualize", prompts_dir).render(
        history=_transcript(turns), question=question
    )
    try:
        reply = await model.structured(messages, StandaloneQuestion, meter=meter)
    except ModelError:
        return Standalone(resolve_follow_up(question, turns), degraded=True)
    if not _keeps_the_matter(reply.question, question):
        return Standalone(resolve_follow_up(question, turns), degraded=True)
    return Standalone(" ".join(reply.question.split()))


def turns_of(history: Sequence[BaseMessage]) -> list[Turn]:
    """Return the last `MAX_TURNS` exchanges of a conversation, unanswered questions included."""
    turns: list[Turn] = []
    for message in history:
        text = str(message.text).strip()
        if isinstance(message, HumanMessage) and text:
            turns.append(Turn(text))
        elif isinstance(message, AIMessage) and text and turns:
            turns[-1] = Turn(turns[-1].question, text)
    return turns[-MAX_TURNS:]


def _keeps_the_matter(rewritten: str, question: str) -> bool:
    """Return whether half of the content words are left: a reply that was cut off loses them."""
    asked = set(content_words(question))
    return 2 * len(asked & set(words(rewritten))) >= len(asked)


def _transcript(turns: Sequence[Turn]) -> str:
    return "\n".join(
        f"Question: {turn.question[:_MAX_CHARACTERS]}\nAnswer: {turn.answer[:_MAX_CHARACTERS]}"
        for turn in turns
    )
