"""Make a follow-up question standalone from the conversation before it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.planning.coreference import Understood, resolve_follow_up
from hoptrail.agents.planning.spoken_things import Sources
from hoptrail.agents.planning.turns import Turn, asks_for_source, is_thanks
from hoptrail.core.reply_conventions import (
    PERHAPS_MARK,
    STANDALONE_MARK,
    TRAIL_MARK,
    unlikely_words,
)
from hoptrail.core.text import content_words, flat, words
from hoptrail.core.types import Chunk
from hoptrail.prompts.forms.planning import StandaloneQuestion

MAX_TURNS = 6
_MAX_CHARACTERS = 1000
_LOOKED_UP = 50  # passages that may tell of a role

_ROLE = re.compile(
    r"^who(?:\s(?:is|was|are|were)|['’]s)\s(?:the|our)\s(.{2,80}?)[\s?.!]{0,5}$", re.I
)


async def contextualize(
    question: str,
    history: Sequence[BaseMessage],
    model: PromptedModel | None,
    sources: Sources | None = None,
) -> Understood:
    """Return the question as it reads without the messages before it.

    Args:
        question: A follow-up, or a question of its own.
        history: The messages before it; without any turn no model is called.
        model: Model of the role `decomposer`; without one references are resolved by rule.
        sources: Tell the rules what the things of the conversation are, and whether they have
            joined a role to a topic that has none such.
    """
    turns = turns_of(history)
    if not turns or is_thanks(question):
        return Understood(question)

    async def ask(model: PromptedModel) -> str | None:
        reply = await model.structured(
            "contextualize", StandaloneQuestion, history=_transcript(turns), question=question
        )
        is_usable = _keeps_the_matter(reply.question, question)
        return flat(reply.question) if is_usable else None

    if not asks_for_source(question):
        reworded: str | None = await decide(model, ask, lambda: None)
        if reworded is not None:
            return Understood(reworded)
    understood = await resolve_follow_up(question, await _whole(turns, sources), sources)
    if model is not None or sources is None:
        return understood
    is_other = await _is_of_another(question, understood.question, sources)
    return Understood(question) if is_other else understood


def turns_of(history: Sequence[BaseMessage]) -> list[Turn]:
    """Return the last `MAX_TURNS` exchanges of a conversation, unanswered questions included."""
    turns: list[Turn] = []
    for message in history:
        text = str(message.text).strip()
        if isinstance(message, HumanMessage) and text:
            turns.append(Turn(text))
        elif isinstance(message, AIMessage) and text and turns:
            turns[-1] = _answered(turns[-1].question, text, message.additional_kwargs)
    return turns[-MAX_TURNS:]


def _answered(question: str, answer: str, marks: Mapping[str, Any]) -> Turn:
    standalone, trail = marks.get(STANDALONE_MARK), marks.get(TRAIL_MARK)
    told = unlikely_words(answer)
    return Turn(
        question,
        told or answer,
        bool(told or marks.get(PERHAPS_MARK)),
        standalone if isinstance(standalone, str) else "",
        tuple(map(str, trail)) if isinstance(trail, list) else None,
    )


async def _whole(turns: Sequence[Turn], sources: Sources | None) -> list[Turn]:
    """Return the turns with what each question meant, also where the asker alone kept them."""
    whole: list[Turn] = []
    for turn in turns:
        if sources is not None and whole and not turn.standalone:
            understood = await resolve_follow_up(turn.question, whole, sources)
            turn = replace(turn, standalone=understood.question)
        whole.append(turn)
    return whole


async def _is_of_another(question: str, standalone: str, sources: Sources) -> bool:
    joined = joined_topic(question, standalone)
    if joined is None:
        return False
    return joined.is_of_another(await sources.passages(f"{joined.role} {joined.topic}", _LOOKED_UP))


def _keeps_the_matter(rewritten: str, question: str) -> bool:
    """Return whether half of the content words are left: a reply that was cut off loses them."""
    asked = set(content_words(question))
    return 2 * len(asked & set(words(rewritten))) >= len(asked)


def _transcript(turns: Sequence[Turn]) -> str:
    return "\n".join(
        f"Question: {turn.question[:_MAX_CHARACTERS]}\nAnswer: {turn.answer[:_MAX_CHARACTERS]}"
        for turn in turns
    )


@dataclass(frozen=True, slots=True)
class RoleTopic:
    """A role, and the thing that a question for its holder was joined to: "bosun", "the Tern"."""

    role: str
    topic: str

    def is_of_another(self, passages: Sequence[Chunk]) -> bool:
        """Return whether passages tell of the role, and none of them names the topic with it.

        Where no passage tells of the role, nothing speaks against the topic.
        """
        role, topic = set(content_words(self.role)), set(content_words(self.topic))
        with_role = [found for one in passages if role <= (found := _words(one))]
        return bool(with_role) and not any(topic <= found for found in with_role)


def joined_topic(question: str, standalone: str) -> RoleTopic | None:
    """Return the topic that "Who is the bosun?" was joined to, None where it was to none."""
    asked, told = _ROLE.match(question.strip()), _ROLE.match(standalone.strip())
    if asked is None or told is None or not told[1].startswith(f"{asked[1]} of "):
        return None
    return RoleTopic(asked[1], told[1].removeprefix(f"{asked[1]} of "))


def _words(passage: Chunk) -> set[str]:
    return set(words(f"{passage.title} {passage.text}"))
