"""The two levels of keywords that LightRAG searches by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.core.text import flat
from hoptrail.prompts.forms.planning import Keywords

MAX_KEYWORDS = 8
_MAX_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class KeywordLevels:
    """Names of things (low level) and themes (high level); empty ones leave it to the retriever."""

    entities: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


async def write_keywords(question: str, model: PromptedModel | None) -> KeywordLevels:
    """Return at most 8 keywords of each level (Guo et al., LightRAG, 2024, dual-level retrieval).

    Args:
        question: The standalone question.
        model: Model of the role `decomposer`; without one there are no keywords.
    """

    async def ask(model: PromptedModel) -> KeywordLevels | None:
        reply = await model.structured("write_keywords", Keywords, question=question)
        levels = KeywordLevels(_usable(reply.entities), _usable(reply.themes))
        return levels if levels.entities or levels.themes else None

    return await decide(model, ask, KeywordLevels)


def _usable(written: Sequence[str]) -> tuple[str, ...]:
    texts = (flat(word)[:_MAX_CHARACTERS] for word in written)
    return tuple(dict.fromkeys(text for text in texts if text))[:MAX_KEYWORDS]
