"""The two levels of keywords that LightRAG searches by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelError
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.planning import Keywords
from hoptrail.prompts.loader import load_prompt

MAX_KEYWORDS = 8
_MAX_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class KeywordLevels:
    """Names of things (low level) and themes (high level); empty lists leave it to the retriever.

    `degraded` where a model should have written them and did not.
    """

    entities: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    degraded: bool = False


async def write_keywords(
    question: str, model: RoleModel | None, meter: Meter, *, prompts_dir: Path | None = None
) -> KeywordLevels:
    """Return at most 8 keywords of each level (Guo et al., LightRAG, 2024, dual-level retrieval).

    Raises:
        BudgetExceededError: If a model is given and no call is left.
    """
    if model is None:
        return KeywordLevels()
    messages = load_prompt("write_keywords", prompts_dir).render(question=question)
    try:
        reply = await model.structured(messages, Keywords, meter=meter)
    except ModelError:
        return KeywordLevels(degraded=True)
    return KeywordLevels(_usable(reply.entities), _usable(reply.themes))


def _usable(written: Sequence[str]) -> tuple[str, ...]:
    texts = (" ".join(word.split())[:_MAX_CHARACTERS] for word in written)
    return tuple(dict.fromkeys(text for text in texts if text))[:MAX_KEYWORDS]
