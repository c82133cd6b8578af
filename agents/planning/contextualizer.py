"""Make a follow-up question standalone from the conversation before it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.planning.coreference import Turn, resolve_follow_up
from hoptrail.agents.planning.remark import asks_for_source, is_thanks
from hoptrail.agents.planning.role_topic import joined_topic
from hoptrail.core.reply_conventions import PERHAPS_MARK
from hoptrail.core.text import content_words, words
from hoptrail.core.types import Chunk
from hoptrail.prompts.forms.planning import StandaloneQuestion

MAX_TURNS = 6
_MAX_CHARACTERS = 1000

LookUp = Callable[[str], Awaitable[Sequence[Chunk]]]
"""Returns the passages with the words of a text."""


async def contextualize(
    question: str,
    history: Sequence[BaseMessage],
    model: PromptedModel | None,
    look_up: LookUp | None = None,
) -> str:
    """Return the question as it reads without the messages before it.

    Args:
        question: A follow-up, or a question of its own.
        history: The messages before it; without any turn no model is called.
        model: Model of the role `decomposer`; without one pronouns are resolved by rule.
        look_up: Tells whether the rules have joined a role to a topic that has none such.
    """
    turns = turns_of(history)
    if not turns or is_thanks(question):
        return question
    if asks_for_source(question):
        return resolve_follow_up(question, turns)

    async def ask(model: PromptedModel) -> str | None:
        reply = await model.structured(
            "contextualize", StandaloneQuestion, history=_transcript(turns), question=question
        )
        is_usable = _keeps_the_matter(reply.question, question)
        return " ".join(reply.question.split()) if is_usable else None

    standalone = await decide(model, ask, lambda: resolve_follow_up(question, turns))
    if model is not None or look_up is None:
        return standalone
    return question if await _is_of_another(question, standalone, look_up) else standalone


def turns_of(history: Sequence[BaseMessage]) -> list[Turn]:
    """Return the last `MAX_TURNS` exchanges of a conversation, unanswered questions included."""
    turns: list[Turn] = []
    for message in history:
        text = str(message.text).strip()
        if isinstance(message, HumanMessage) and text:
            turns.append(Turn(text))
        elif isinstance(message, AIMessage) and text and turns:
            perhaps = bool(message.additional_kwargs.get(PERHAPS_MARK))
            turns[-1] = Turn(turns[-1].question, text, perhaps)
    return turns[-MAX_TURNS:]


async def _is_of_another(question: str, standalone: str, look_up: LookUp) -> bool:
    joined = joined_topic(question, standalone)
    if joined is None:
        return False
    return joined.is_of_another(await look_up(f"{joined.role} {joined.topic}"))


def _keeps_the_matter(rewritten: str, question: str) -> bool:
    """Return whether half of the content words are left: a reply that was cut off loses them."""
    asked = set(content_words(question))
    return 2 * len(asked & set(words(rewritten))) >= len(asked)


def _transcript(turns: Sequence[Turn]) -> str:
    return "\n".join(
        f"Question: {turn.question[:_MAX_CHARACTERS]}\nAnswer: {turn.answer[:_MAX_CHARACTERS]}"
        for turn in turns
    )
