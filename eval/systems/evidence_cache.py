"""Retrieved evidence kept between runs, so that paired configurations see the same and wait once.

An entry is found by what the retrieval depends on: the call with its settings, the content of the
knowledge base, and the code that searches.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from hoptrail.core.budget import Meter, booking_to, current_meter
from hoptrail.core.types import Evidence, JsonDict
from hoptrail.retrievers.registry import RETRIEVERS
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.tools.retrieval import hydrate

_SOURCES = (".py", ".npz", ".md")
_RETRIEVAL_TOOL = "retrieve_"
_savings: ContextVar[list[float] | None] = ContextVar("_savings", default=None)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Evidence, the seconds that finding it took, and whether that was in an earlier run."""

    evidence: Evidence
    seconds: float
    cached: bool


class EvidenceCache:
    """Evidence of one knowledge base, one small file per retrieval; processes may share it.

    Args:
        folder: Where the entries lie; made on first need.
        kb: The knowledge base that is searched.
    """

    def __init__(self, folder: Path, kb: KnowledgeBase) -> None:
        self._folder = folder
        self._kb = kb
        self._base = _digest((content_digest(kb) + _code_digest()).encode())

    def fetch(self, call: JsonDict, find: Callable[[], Evidence]) -> Retrieval:
        """Return the evidence of a call, from the cache or by finding it now.

        Args:
            call: All that the retrieval depends on beside the knowledge base, as JSON types.
            find: Retrieves; must be deterministic.
        """
        path = self._path(call)
        entry = _read_entry(path)
        if entry is not None:
            return Retrieval(hydrate(self._kb, entry["evidence"]), entry["seconds"], True)
        started = time.perf_counter()
        with watched_retrieval() as meter:
            references = find().references()
        seconds = round(time.perf_counter() - started, 4)
        if not meter.degraded:  # else a passing fault would be measured for ever
            _write_entry(path, {"call": call, "seconds": seconds, "evidence": references})
        # Read back in either case: a later run must see the very same evidence.
        return Retrieval(hydrate(self._kb, references), seconds, False)

    def _path(self, call: JsonDict) -> Path:
        key = json.dumps([self._base, self._kb.generation, call], sort_keys=True)
        return self._folder / self._base[:16] / f"{_digest(key.encode())}.json"


def cache_tools(tools: Mapping[str, BaseTool], cached: EvidenceCache) -> dict[str, BaseTool]:
    """Return the tools by name, those that retrieve served by the cache."""
    return {
        name: _cache_tool(tool, cached) if name.startswith(_RETRIEVAL_TOOL) else tool
        for name, tool in tools.items()
    }


@contextmanager
def watched_retrieval() -> Iterator[Meter]:
    """Yield the account of the retrieval within; the account of the run, if any, gets all of it."""
    outer = current_meter()
    meter = Meter("retrieve", outer.limits if outer is not None else None)
    with booking_to(meter):
        yield meter
    if outer is not None:
        outer.take_over(meter)
        outer.degraded |= meter.degraded
        for line in meter.notes:
            outer.note(line)


@contextmanager
def noted_savings() -> Iterator[list[float]]:
    """Yield a list that gets the seconds of each retrieval that the cache serves within."""
    savings: list[float] = []
    token = _savings.set(savings)
    try:
        yield savings
    finally:
        _savings.reset(token)


def content_digest(kb: KnowledgeBase) -> str:
    """Return a digest of what is searched: the published passages and graph, and the embedder."""
    index = kb.index
    digest = hashlib.sha256(kb.embedder.name.encode())
    for ids in (index.chunk_ids, index.entity_ids, index.relation_ids):
        digest.update(ids.tobytes())
    digest.update(index.relation_source.tobytes() + index.relation_target.tobytes())
    return digest.hexdigest()


def _cache_tool(tool: BaseTool, cached: EvidenceCache) -> BaseTool:
    def retrieve(**arguments: Any) -> tuple[str, Evidence]:
        call = {"tool": tool.name, "arguments": _plain(arguments)}
        found = cached.fetch(call, lambda: _invoke(tool, arguments))
        savings = _savings.get()
        if found.cached and savings is not None:
            savings.append(found.seconds)
        return f"{len(found.evidence.chunks)} passages.", found.evidence

    return StructuredTool.from_function(
        retrieve,
        name=tool.name,
        description=tool.description,
        args_schema=tool.args_schema,
        response_format="content_and_artifact",
    )


def _invoke(tool: BaseTool, arguments: Mapping[str, Any]) -> Evidence:
    call = {"type": "tool_call", "id": uuid.uuid4().hex, "name": tool.name, "args": {**arguments}}
    evidence: Evidence = tool.invoke(call).artifact
    return evidence


def _plain(arguments: Mapping[str, Any]) -> JsonDict:
    plain: JsonDict = json.loads(json.dumps(arguments, default=lambda value: value.model_dump()))
    return plain


@cache
def _code_digest() -> str:
    """Return a digest of the code that searches: Hoptrail's, and that of installed retrievers."""
    tops = {cls.__module__.partition(".")[0] for cls in RETRIEVERS.values()}
    return "".join(_module_digest(sys.modules[top]) for top in sorted({"hoptrail", *tops}))


def _module_digest(module: ModuleType) -> str:
    if hasattr(module, "__path__"):
        return sources_digest(resources.files(module))
    return _digest(Path(module.__file__).read_bytes()) if module.__file__ else ""


def sources_digest(folder: Traversable) -> str:
    """Return a digest of all that a package is made of, at any depth: code, weights, prompts."""
    digest = hashlib.sha256()
    for name, content in _sources(folder, ""):
        digest.update(f"{name}:{len(content)}:".encode() + content)
    return digest.hexdigest()


def _sources(folder: Traversable, place: str) -> Iterator[tuple[str, bytes]]:
    """Yield each source file below a folder by its place, in order; links are followed."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = f"{place}/{entry.name}"
        if entry.is_dir():
            yield from _sources(entry, name)
        elif entry.name.endswith(_SOURCES):
            yield name, entry.read_bytes()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _read_entry(path: Path) -> JsonDict | None:
    """Return an entry; None where there is none, or one that was damaged."""
    try:
        entry: JsonDict = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return entry


def _write_entry(path: Path, entry: JsonDict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{uuid.uuid4().hex}")
    temporary.write_text(json.dumps(entry, ensure_ascii=False), encoding="utf-8")
    temporary.replace(path)
