"""Chat models by role."""

from __future__ import annotations

from collections.abc import Mapping

from hoptrail.core.errors import ModelNotConfiguredError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.models.caller import shared_caller
from hoptrail.models.choice import DEFAULT_CHOICE, choose_model, default_model
from hoptrail.models.registry import register_chat_model, registered_chat_model
from hoptrail.models.role_model import RoleModel

__all__ = [
    "DEFAULT_CHOICE",
    "ChatModels",
    "RoleModel",
    "default_model",
    "register_chat_model",
    "registered_chat_model",
]


class ChatModels:
    """Resolves roles to models; nothing is imported or sent before the first call.

    Args:
        settings: The operator's models, server and keys.
        choices: Model by role, or under `default` for all roles; they win over the settings.
    """

    def __init__(self, settings: Settings, choices: Mapping[str, str] | None = None) -> None:
        self._settings = settings
        self._choices = dict(choices or {})

    @property
    def configured(self) -> bool:
        """Whether every role has a model."""
        return self.name_of(DEFAULT_CHOICE) is not None

    def name_of(self, role: str) -> str | None:
        """Return the full name of a role's model, None where none is set."""
        return choose_model(role, self._settings, self._choices)

    def for_role(self, role: str) -> RoleModel:
        """Return the role's model.

        Raises:
            ModelNotConfiguredError: If none is set.
        """
        name = self.name_of(role)
        if name is None:
            if self._settings.base_url:
                raise SettingsError("base_url is set, but no model", hint="set HOPTRAIL_MODEL")
            raise ModelNotConfiguredError(
                f"no language model is set for {role}",
                hint="set HOPTRAIL_MODEL, GROQ_API_KEY or OPENAI_API_KEY, or use preset offline",
            )
        caller = shared_caller(name, self._settings.base_url)
        return RoleModel(role, name, self._settings, caller)
