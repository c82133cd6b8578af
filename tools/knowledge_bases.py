"""Knowledge bases by name: opened once in a process, at the newest generation when asked for."""

from __future__ import annotations

import threading
from pathlib import Path

from hoptrail.core.errors import UnknownNameError
from hoptrail.core.settings import Settings
from hoptrail.models.embedder import load_embedder
from hoptrail.stores.knowledge_base import KnowledgeBase

_lock = threading.Lock()
_opened: dict[str, KnowledgeBase] = {}


def register_knowledge_base(name: str, knowledge_base: KnowledgeBase) -> None:
    """Make an opened knowledge base known under a name in this process."""
    with _lock:
        _opened[name] = knowledge_base


def forget_knowledge_base(name: str) -> None:
    """Drop a name; the knowledge base itself stays open."""
    with _lock:
        _opened.pop(name, None)


def find_knowledge_base(name: str, settings: Settings) -> KnowledgeBase:
    """Return the knowledge base of that name, refreshed.

    Only names that this process registered or its settings list are known: a client of the
    server can never pass a path.

    Raises:
        UnknownNameError: If the name is not known.
        KnowledgeBaseError: If its folder cannot be opened.
    """
    with _lock:
        knowledge_base = _opened.get(name)
        if knowledge_base is None:
            path = _configured_path(name, settings)
            knowledge_base = KnowledgeBase.open(path, embedder=load_embedder(settings.embedder))
            _opened[name] = knowledge_base
    knowledge_base.refresh()
    return knowledge_base


def _configured_path(name: str, settings: Settings) -> Path:
    if name in settings.knowledge_bases:
        return settings.knowledge_bases[name]
    if name == "default" and len(settings.knowledge_bases) == 1:
        return next(iter(settings.knowledge_bases.values()))
    raise UnknownNameError("knowledge base", name, {*settings.knowledge_bases, *_opened})
