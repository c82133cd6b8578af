"""Chat models by role."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hoptrail.core.errors import ModelNotConfiguredError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.models.caller import shared_caller
from hoptrail.models.choice import (
    DEFAULT_CHOICE,
    GRAPH_LLM,
    choose_model,
    default_model,
    has_graph_llm,
    is_small,
    register_chat_model,
    registered_chat_model,
)
from hoptrail.models.provider import key_variable, server_variable
from hoptrail.models.role_model import RoleModel

__all__ = [
    "DEFAULT_CHOICE",
    "GRAPH_LLM",
    "HOW_TO_SET_A_MODEL",
    "ChatModels",
    "RoleModel",
    "default_model",
    "has_graph_llm",
    "register_chat_model",
    "registered_chat_model",
]

HOW_TO_SET_A_MODEL = (
    "set HOPTRAIL_MODEL, GROQ_API_KEY or OPENAI_API_KEY, or choose one of this machine by "
    "hoptrail model list"
)
_HOW_TO_SET_GRAPH_LLM = (
    "set HOPTRAIL_GRAPH_LLM to the folder of a checkpoint or the URL of a `hoptrail serve-llm`"
)


class ChatModels:
    """Resolves roles to models; nothing is imported or sent before the first call.

    Args:
        settings: The operator's models, server and keys.
        choices: Model by role, or under `default` for all roles; they win over the settings.
        graph_llm_roles: Roles that the graph LLM plays where one is set and no other is chosen.
    """

    def __init__(
        self,
        settings: Settings,
        choices: Mapping[str, str] | None = None,
        graph_llm_roles: Collection[str] = (),
    ) -> None:
        self._settings = settings
        self._choices = dict(choices or {})
        self._graph_llm_roles = graph_llm_roles

    @property
    def configured(self) -> bool:
        """Whether every role has a model."""
        return self.name_of(DEFAULT_CHOICE) is not None

    def name_of(self, role: str) -> str | None:
        """Return the full name of a role's model, None where none is set."""
        return choose_model(role, self._settings, self._choices, self._graph_llm_roles)

    def is_graph_llm(self, role: str) -> bool:
        """Return whether the graph LLM plays a role."""
        return self.name_of(role) == GRAPH_LLM

    def is_small(self, role: str) -> bool:
        """Return whether a role's model is a small one, such as run on a user's machine."""
        name = self.name_of(role)
        return name is not None and is_small(name, self._settings)

    def has_none(self, role: str) -> bool:
        """Return whether a role has no model, and no server is set either that could have one."""
        return self.name_of(role) is None and not self._settings.base_url

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
                hint=f"{HOW_TO_SET_A_MODEL}, or use preset offline",
            )
        server = self._settings.base_url
        if name == GRAPH_LLM:
            if not has_graph_llm(self._settings):
                raise ModelNotConfiguredError("no graph LLM is set", hint=_HOW_TO_SET_GRAPH_LLM)
            server = self._settings.graph_llm
        variables = key_variable(name, self._settings), server_variable(name)
        caller = shared_caller(name, server, *variables)
        return RoleModel(role, name, self._settings, caller)
