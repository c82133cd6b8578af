"""Chat models that live in this process, known under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hoptrail.models.caller import forget_callers

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_MODELS: dict[str, BaseChatModel] = {}


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
