"""Which model a role uses."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hoptrail.core.settings import Settings
from hoptrail.models.registry import registered_chat_model

DEFAULT_CHOICE = "default"

_DEFAULT_BY_KEY = {
    "GROQ_API_KEY": "groq:llama-3.1-8b-instant",
    "OPENAI_API_KEY": "openai:gpt-4o-mini",
}


def default_model(settings: Settings, environment: Mapping[str, str] | None = None) -> str | None:
    """Return the model that roles without their own use.

    It is `settings.model`; else, where a provider's key is in the environment, that provider's
    small model: `GROQ_API_KEY` gives groq:llama-3.1-8b-instant, `OPENAI_API_KEY`
    openai:gpt-4o-mini, in this order; else None.
    """
    if settings.model:
        return settings.model
    variables = os.environ if environment is None else environment
    return next((model for key, model in _DEFAULT_BY_KEY.items() if variables.get(key)), None)


def choose_model(role: str, settings: Settings, choices: Mapping[str, str]) -> str | None:
    """Return the full name of a role's model, None where none is set.

    In order: the choice for the role, the choice `default`, the settings' model for the role, the
    settings' default. A bare name that is not registered means a model of `settings.base_url`.
    """
    by_role: Mapping[str, str] = {str(key): name for key, name in settings.models.items()}
    name = (
        choices.get(role)
        or choices.get(DEFAULT_CHOICE)
        or by_role.get(role)
        or default_model(settings)
    )
    if name and ":" not in name and settings.base_url and registered_chat_model(name) is None:
        return f"openai:{name}"
    return name
