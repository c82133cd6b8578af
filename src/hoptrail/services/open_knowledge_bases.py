"""Knowledge bases by name: opened once in a process, at the newest generation when asked for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from hoptrail.core.errors import HoptrailError, UnknownNameError
from hoptrail.core.settings import Settings, load_settings
from hoptrail.models.embedder import load_embedder
from hoptrail.prompts.loader import Prompts
from hoptrail.services.serving_stores import open_source
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.knowledge_source import KnowledgeSource

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    Tools = Mapping[str, BaseTool]
    MakeTools = Callable[[KnowledgeSource, Settings], Tools]


def _make_tools(source: KnowledgeSource, settings: Settings) -> Tools:
    # Here, because retrievers and LangChain's tools take long to import.
    from hoptrail.tools.registry import make_tools

    return make_tools(source, settings)


@dataclass(frozen=True)
class OpenKnowledgeBase:
    """A knowledge base, the settings that it was opened with, and how the tools over it are made.

    What only looks into the base needs no tool, so they are made when they are first asked for.

    Attributes:
        source: What questions are answered from.
        records: The folder that it was published from; a filter derives a base of its own from it.
        settings: Models and prices.
        make_tools: Makes the tools over a source.
        allowed_models: Models and rerankers that requests may name beside those of the settings:
            what the program that opened the base chose itself.
    """

    source: KnowledgeSource
    records: KnowledgeBase
    settings: Settings
    make_tools: MakeTools = field(default=_make_tools)
    allowed_models: Set[str] = frozenset()

    @cached_property
    def tools(self) -> Tools:
        """The tools over the knowledge base, by name."""
        return self.make_tools(self.source, self.settings)


_log = logging.getLogger(__name__)
_lock = threading.Lock()
_opening = threading.Lock()
_opened: dict[str, OpenKnowledgeBase] = {}


def register_knowledge_base(
    name: str,
    records: KnowledgeBase,
    settings: Settings,
    source: KnowledgeSource | None = None,
    allowed_models: Set[str] = frozenset(),
) -> None:
    """Make an opened knowledge base known under a name in this process.

    Args:
        name: The name.
        records: Its folder.
        settings: Models and prices.
        source: What questions are answered from, where that is not the folder itself.
        allowed_models: What requests may name beside the settings' models; it may grow later.

    Raises:
        SettingsError: If the folder of prompts cannot be used.
    """
    # Read here, in the caller's thread: a node must not read files.
    Prompts(settings.prompts_dir).load_all()
    with _lock:
        _opened[name] = OpenKnowledgeBase(
            source or records, records, settings, allowed_models=allowed_models
        )


def replace_tools(name: str, wrap: Callable[[Tools], Tools]) -> None:
    """Put other tools in place of those of a registered knowledge base.

    Args:
        name: Its name.
        wrap: Gets the tools by name and returns those that take their place.
    """
    with _lock:
        opened = _opened[name]
        _opened[name] = replace(
            opened, make_tools=lambda source, settings: wrap(opened.make_tools(source, settings))
        )


def forget_knowledge_base(name: str) -> None:
    """Drop a name; the knowledge base itself stays open."""
    with _lock:
        _opened.pop(name, None)


def find_knowledge_base(name: str, *, refresh: bool = True) -> OpenKnowledgeBase:
    """Return the knowledge base of that name.

    Only names that this process registered or its settings list are known, and "default": a client
    of the server can never pass a path.

    Args:
        name: The name.
        refresh: Whether to look for a newer generation, which is a question to a server where the
            base is served by one.

    Raises:
        UnknownNameError: If the name is not known.
        KnowledgeBaseError: If its folder cannot be opened.
    """
    opened = _opened.get(name)
    if opened is None:
        with _opening:  # who comes meanwhile waits, and finds it open
            opened = _opened.get(name) or _open_configured(name, _process_settings())
    if refresh:
        opened.source.refresh()
    return opened


def require_knowledge_base(name: str) -> None:
    """Make sure that `find_knowledge_base` knows the name, without opening anything.

    Raises:
        UnknownNameError: If the name is not known.
    """
    if name not in _opened:
        _listed_name(name, _process_settings())


def open_listed_knowledge_bases() -> None:
    """Open those of the settings with their embedder, so that no request has to wait for it.

    One that cannot be opened is logged: requests that name it are told.
    """
    for name in _process_settings().knowledge_bases:
        try:
            find_knowledge_base(name)
        except HoptrailError as error:
            _log.warning("knowledge base %s: %s", name, error)


@cache
def _process_settings() -> Settings:
    """Return the settings of a process that was started to serve: they stay as they are."""
    return load_settings()


def _open_configured(name: str, settings: Settings) -> OpenKnowledgeBase:
    listed = _listed_name(name, settings)
    served = settings.base_of(listed)
    embedder = load_embedder(settings.embedder, settings)
    records = KnowledgeBase.open(served.records, embedder=embedder)
    source, _ = open_source(records, listed, served)
    register_knowledge_base(name, records, settings, source)
    return _opened[name]


def _listed_name(name: str, settings: Settings) -> str:
    """Return the base that a name stands for: of "default" the only one, else that of `kb`."""
    known = settings.knowledge_bases
    if name in known:
        return name
    if name == "default" and len(known) == 1:
        return next(iter(known))
    if name == "default" and not (known or _opened):
        return settings.kb
    raise UnknownNameError("knowledge base", name, {*known, *_opened})
