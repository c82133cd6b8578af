"""`hoptrail doctor`: what works on this machine and what does not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from hoptrail.cli import options

if TYPE_CHECKING:
    from hoptrail.core.settings import Settings
    from hoptrail.models.doctor import Check

_PACKAGES = (
    "langgraph",
    "langchain-core",
    "onnxruntime",
    "sentence-transformers",
    "torch",
    "torch-geometric",
    "langgraph-api",
)


def doctor(
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Check models, embedder, knowledge bases, plugins and versions.

    Each configured model, the graph LLM too, gets one short test call. Without any model all is
    well: Hoptrail then answers by graph search. The exit code is 1 only where the embedder does
    not work, or a model's key is missing or refused.
    """
    from hoptrail.cli.choices import context_fields
    from hoptrail.cli.output import emit_json, notes, results

    fields = context_fields(assignments, seed=seed)
    with notes().status("checking"):
        report = _examine(fields)
    if as_json:
        emit_json(report)
    else:
        from hoptrail.cli.doctor_view import show_health

        show_health(report, results())
    parts = [*report["roles"], report["graph_llm"] or {}]
    if not report["embedder"]["ok"] or any(part.get("key_refused") for part in parts):
        raise typer.Exit(1)


def _examine(fields: dict[str, Any]) -> dict[str, Any]:
    import asyncio

    from hoptrail.core.settings import load_settings
    from hoptrail.graphs.context import resolve_context
    from hoptrail.models.chat import DEFAULT_CHOICE, ChatModels
    from hoptrail.models.doctor import check_embedder, check_graph_llm, check_models

    context = resolve_context(fields)
    settings = load_settings()
    choices = {str(role): name for role, name in context.models.items()}
    if context.model is not None:
        choices[DEFAULT_CHOICE] = context.model
    roles = asyncio.run(check_models(ChatModels(settings, choices), settings))
    graph_llm = asyncio.run(check_graph_llm(settings))
    return {
        "roles": [_as_row(check) for check in roles],
        "graph_llm": _as_row(graph_llm) if graph_llm is not None else None,
        "embedder": _as_row(check_embedder(settings.embedder, settings)),
        "knowledge_bases": _knowledge_bases(settings),
        "local_models": _local_models(),
        "plugins": _plugins(),
        "versions": _versions(),
    }


def _as_row(check: Check) -> dict[str, Any]:
    row = check.to_json()
    return {**row, "ok": check.name is not None and check.error is None}


def _knowledge_bases(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return whether each knowledge base of the settings opens, by name.

    The one that commands take by default is among them once it is there.
    """
    from hoptrail.api import Hoptrail
    from hoptrail.cli.publish import line_of_store as why
    from hoptrail.core.errors import HoptrailError

    states: dict[str, dict[str, Any]] = {}
    known = dict(settings.knowledge_bases)
    if settings.kb not in known and (
        "kb" in settings.model_fields_set or Path(settings.kb).exists()
    ):
        known[settings.kb] = settings.base_of(settings.kb)
    for name, base in known.items():
        state: dict[str, Any] = {"path": str(base.records), "ok": True, "error": None}
        try:
            with Hoptrail.open(name, settings=settings) as hoptrail:
                facts = hoptrail.info()
            state["documents"] = facts["counts"]["documents"]
            state["stores"] = [
                {**store, "ok": store["in_step"], "error": None if store["in_step"] else why(store)}
                for store in facts.get("stores", ())
            ]
        except HoptrailError as error:
            state |= {"ok": False, "error": str(error)}
        states[name] = state
    return states


def _plugins() -> list[dict[str, Any]]:
    """Return whether each retriever, preset and store of an installed package can be used."""
    from dataclasses import asdict

    from hoptrail.graphs.presets import PRESETS
    from hoptrail.retrievers.registry import RETRIEVERS
    from hoptrail.stores.registry import STORES, VECTOR_STORES

    registries = (RETRIEVERS, PRESETS, STORES, VECTOR_STORES)
    plugins = [plugin for registry in registries for plugin in registry.plugins]
    return [{**asdict(plugin), "ok": plugin.error is None} for plugin in plugins]


def _local_models() -> dict[str, list[dict[str, Any]]]:
    """Return the model files, and the servers of this machine with the models they list."""
    import asyncio

    from hoptrail.models.local.model_files import ModelFiles
    from hoptrail.models.local.running_servers import running_servers

    return {
        "files": [one.to_json() for one in ModelFiles().all()],
        "servers": [one.to_json() for one in asyncio.run(running_servers())],
    }


def _versions() -> dict[str, str | None]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from hoptrail import __version__

    versions: dict[str, str | None] = {"hoptrail": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return versions
