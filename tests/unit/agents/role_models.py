"""A scripted model in one role, as deciders are given it."""

from __future__ import annotations

from typing import Any

from hoptrail.agents.decision import PromptedModel
from hoptrail.core.budget import Limits, Meter
from hoptrail.core.settings import Settings
from hoptrail.models.chat import ChatModels, register_chat_model
from hoptrail.testing import ScriptedChatModel

QUESTION = "Where was the designer of Maple Bridge born?"
NO_CALLS = Limits(max_calls=0)


def scripted_role(
    role: str, *replies: Any, limits: Limits | None = None
) -> tuple[PromptedModel, ScriptedChatModel]:
    """Return a role's model that gives these replies in order, and the script behind it."""
    model = ScriptedChatModel(replies=list(replies))
    name = f"scripted-{role}"
    register_chat_model(name, model)
    chat = ChatModels(Settings(max_retries=0), {"default": name}).for_role(role)
    return PromptedModel(chat, Meter(role, limits)), model
