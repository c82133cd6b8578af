"""Which model a role uses, and the models of this process that are known under a name."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from hoptrail.core.settings import Settings
from hoptrail.models.caller import forget_callers
from hoptrail.models.local.model_files import check_of

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

DEFAULT_CHOICE = "default"
GRAPH_LLM = "graph_llm"
"""Name of the model that the setting `graph_llm` stands for."""

_PROVIDERS_ON_THIS_MACHINE = frozenset({"gguf", "ollama"})
_LONGEST_LOCAL_CALL = 600.0
_DEFAULT_BY_KEY = {
    "GROQ_API_KEY": "groq:llama-3.1-8b-instant",
    "OPENAI_API_KEY": "openai:gpt-4o-mini",
}
_MODELS: dict[str, BaseChatModel] = {}


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


def has_graph_llm(settings: Settings) -> bool:
    """Return whether the name `graph_llm` stands for a model."""
    return bool(settings.graph_llm)


def choose_model(
    role: str,
    settings: Settings,
    choices: Mapping[str, str],
    graph_llm_roles: Collection[str] = (),
) -> str | None:
    """Return the full name of a role's model, None where none is set.

    In order: the choice for the role, the choice `default`, the settings' model for the role, the
    graph LLM, the settings' default. A bare name that is not registered means a model of
    `settings.base_url`.

    Args:
        role: Any role.
        settings: The operator's models.
        choices: Model by role, or under `default` for all roles.
        graph_llm_roles: Roles that the graph LLM plays where there is one.
    """
    by_role: Mapping[str, str] = {str(key): name for key, name in settings.models.items()}
    name = (
        choices.get(role)
        or choices.get(DEFAULT_CHOICE)
        or by_role.get(role)
        or (GRAPH_LLM if role in graph_llm_roles and has_graph_llm(settings) else None)
        or default_model(settings)
    )
    is_bare = name is not None and ":" not in name and name != GRAPH_LLM
    if name and is_bare and settings.base_url and registered_chat_model(name) is None:
        return f"openai:{name}"
    return name


def is_small(name: str, settings: Settings) -> bool:
    """Return whether a model is asked by short prompts: as set, else if it is a file or Ollama's.

    A file that `hoptrail model check` found to keep the longer forms is none. A server on this
    machine may as well serve a large model, or pass on to one.

    Args:
        name: Full name of the model.
        settings: The operator's servers.
    """
    if settings.small_model is not None:
        return settings.small_model
    if check := check_of(name):
        return not check.get("long")
    return is_on_this_machine(name)


def is_model_file(name: str) -> bool:
    """Return whether a model is a file on this machine: `gguf:PATH`."""
    return name.startswith("gguf:")


def is_on_this_machine(name: str) -> bool:
    """Return whether a model runs beside this process: a file, or one of Ollama."""
    return name.partition(":")[0] in _PROVIDERS_ON_THIS_MACHINE


def call_seconds(name: str, timeout: float) -> float:
    """Return how long a model may take until the first piece of a reply, or the whole.

    One that runs on this machine reads slowly, and waits for others of the machine: giving its call
    up would only have it begin again.

    Args:
        name: Full name of the model.
        timeout: The limit that is set for served models, in seconds.
    """
    return max(timeout, _LONGEST_LOCAL_CALL) if is_on_this_machine(name) else timeout


def register_chat_model(name: str, model: BaseChatModel) -> None:
    """Make an in-process model usable wherever a model is named; a second one replaces it."""
    forget_callers(name)
    _MODELS[name] = model


def forget_chat_model(name: str) -> None:
    """Drop a name; it then means what it meant before."""
    forget_callers(name)
    _MODELS.pop(name, None)


def registered_chat_model(name: str) -> BaseChatModel | None:
    """Return the model registered under the name, None where there is none."""
    return _MODELS.get(name)
