"""A scripted model in one role, as deciders are given it."""

from __future__ import annotations

from typing import Any

from hoptrail.core.settings import Settings
from hoptrail.models.chat import ChatModels, RoleModel, register_chat_model
from hoptrail.testing import ScriptedChatModel

QUESTION = "Where was the designer of Maple Bridge born?"


def scripted_role(role: str, *replies: Any) -> tuple[RoleModel, ScriptedChatModel]:
    """Return a role's model that gives these replies in order, and the script behind it."""
    model = ScriptedChatModel(replies=list(replies))
    name = f"scripted-{role}"
    register_chat_model(name, model)
    return ChatModels(Settings(max_retries=0), {"default": name}).for_role(role), model
