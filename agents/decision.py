"""How an agent decides: by a chat model where there is one that helps, else by rules."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from hoptrail.core.budget import Meter
from hoptrail.core.errors import BudgetExceededError, ModelError
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.loader import SHIPPED, Prompts

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class PromptedModel:
    """The chat model of one role, with the prompts that it is sent and the account of its calls."""

    chat: RoleModel
    meter: Meter
    prompts: Prompts = SHIPPED

    async def structured(
        self, prompt: str, form: type[M], max_tokens: int | None = None, /, **inputs: str
    ) -> M:
        """Return the model's reply to a prompt in a form: as it was written, else repaired.

        Args:
            prompt: Name of the prompt.
            form: What the reply has to fill in.
            max_tokens: Longest reply; the server's default if None.
            **inputs: The prompt's inputs by name.

        Raises:
            ModelUnavailableError: If the model refuses or cannot be reached.
            ModelReplyError: If no reply could be read, even after repair and a second try.
            BudgetExceededError: If the run's calls, tokens or seconds are spent.
        """
        messages = self.prompts.load(prompt).render(**inputs)
        return await self.chat.structured(messages, form, meter=self.meter, max_tokens=max_tokens)


async def decide(
    model: PromptedModel | None,
    ask: Callable[[PromptedModel], Awaitable[T | None]],
    fall_back: Callable[[], T],
) -> T:
    """Return what the model decides, else what is decided without it.

    The model's reply counts as it was written, else repaired; both are `ask`'s matter. Where it
    cannot be reached, cannot be read, is of no use, or nothing is left to spend on it, `fall_back`
    takes its place, and the account of the model's calls is marked as `degraded`.

    Args:
        model: None leaves it to `fall_back` by choice, which is no degradation.
        ask: Asks the model; None where its reply is of no use.
        fall_back: Decides without any model; runs in a thread.
    """
    if model is not None:
        try:
            decided = await ask(model)
        except (ModelError, BudgetExceededError):
            decided = None
        if decided is not None:
            return decided
        model.meter.degraded = True
    return await asyncio.to_thread(fall_back)
