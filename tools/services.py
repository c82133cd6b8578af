"""Services: what a context's names stand for in this process, resolved once and cached."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from langchain_core.tools import BaseTool

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import Role, Settings, load_settings
from hoptrail.models.chat import ChatModels, RoleModel
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.tools.knowledge_bases import find_knowledge_base
from hoptrail.tools.registry import make_tools

__all__ = [
    "Choices",
    "RoleModel",
    "Services",
    "allow_models",
    "forget_services",
    "process_settings",
    "resolve_services",
    "use_settings",
]


class Choices(Protocol):
    """The part of a graph's context that services are resolved from."""

    @property
    def knowledge_base(self) -> str:
        """Name of the knowledge base."""
        ...

    @property
    def model(self) -> str | None:
        """Default chat model."""
        ...

    @property
    def models(self) -> dict[Role, str]:
        """Chat model by role."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """An opened knowledge base behind its tools, and the chat models by role."""

    tools: Mapping[str, BaseTool]
    models: ChatModels
    prompts_dir: Path | None
    knowledge_base: KnowledgeBase

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors of the texts, shape (len(texts), dim)."""
        return self.knowledge_base.embedder.embed(texts)


_lock = threading.Lock()
_process_settings: Settings | None = None
_allowed_models: set[str] = set()


def use_settings(settings: Settings | None) -> None:
    """Replace this process's settings; None reads `hoptrail.toml` and the environment again."""
    global _process_settings
    with _lock:
        _process_settings = settings
        _resolve.cache_clear()


def process_settings() -> Settings:
    """Return this process's settings, read on first use."""
    global _process_settings
    with _lock:
        if _process_settings is None:
            _process_settings = load_settings()
        return _process_settings


def allow_models(*names: str) -> None:
    """Let contexts of this process name these models: the program's own choice, not a client's."""
    _allowed_models.update(names)


def resolve_services(choices: Choices) -> Services:
    """Return the services behind a context's names; blocking, so call it in a thread.

    Raises:
        UnknownNameError: If the knowledge base is not known here.
        SettingsError: If a model is named that this process does not list.
    """
    settings = process_settings()
    knowledge_base = find_knowledge_base(choices.knowledge_base, settings)
    roles = tuple(sorted(choices.models.items()))
    for name in filter(None, (choices.model, *choices.models.values())):
        _check_allowed(name, settings)
    return _resolve(knowledge_base, choices.model, roles)


def forget_services() -> None:
    """Drop what is cached, so that closed knowledge bases are not kept alive."""
    _resolve.cache_clear()


@lru_cache(maxsize=64)
def _resolve(
    knowledge_base: KnowledgeBase,
    model: str | None,
    roles: tuple[tuple[Role, str], ...],
) -> Services:
    settings = process_settings()
    choices: dict[str, str] = dict(roles)
    if model is not None:
        choices["default"] = model
    return Services(
        tools=make_tools(knowledge_base),
        models=ChatModels(settings, choices),
        prompts_dir=settings.prompts_dir,
        knowledge_base=knowledge_base,
    )


def _check_allowed(name: str, settings: Settings) -> None:
    listed = {settings.model, *settings.models.values(), *settings.allowed_models}
    if name not in listed and name not in _allowed_models:
        raise SettingsError(
            f"model {name!r} is not listed here", hint="add it to allowed_models in hoptrail.toml"
        )
