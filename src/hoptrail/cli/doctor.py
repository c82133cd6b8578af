"""`hoptrail doctor`: what works on this machine and what does not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.maintenance import line_of_store
from hoptrail.cli.output import emit, notes, printable
from hoptrail.core.errors import HoptrailError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

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
    "opentelemetry-sdk",
)

_NO_MODEL = """No language model is set: questions are answered by graph search.
Set HOPTRAIL_MODEL, GROQ_API_KEY or OPENAI_API_KEY to use one, or see hoptrail model list.
"""
_NO_KNOWLEDGE_BASE = "no knowledge base here yet: hoptrail index PATH... makes one"
_KEYS = {True: "present", False: "missing", None: "-"}


def doctor(
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Check models, embedder, reranker, knowledge bases, plugins and versions.

    Each configured model, the graph LLM and the reranker too, gets one short test call. Without any
    model all is well: Hoptrail then answers by graph search. The exit code is 1 where something
    that is set does not work: the embedder, a model, the reranker, a knowledge base, the place
    where traces are sent.
    """
    fields = options.context_fields(assignments, seed=seed)
    with notes().status("checking"):
        report = _examine(fields)
    emit(report, show_health, as_json=as_json)
    if not all(row["ok"] for row in _set_parts(report)):
        raise typer.Exit(1)


def _set_parts(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of what is set: models, services and knowledge bases.

    Servers of a base are none of them: while one is behind or down, its folder answers.
    """
    models = [row for row in report["roles"] if row["name"] is not None]
    services = [report[name] for name in ("graph_llm", "embedder", "reranker", "tracing")]
    bases = report["knowledge_bases"].values()
    return [*models, *(row for row in services if row is not None), *bases]


def _examine(fields: dict[str, Any]) -> dict[str, Any]:
    import asyncio

    from hoptrail.core.settings import load_settings
    from hoptrail.core.tracing.exporting import check_collector
    from hoptrail.graphs.context import resolve_context
    from hoptrail.models.chat import DEFAULT_CHOICE, ChatModels
    from hoptrail.models.doctor import (
        check_embedder,
        check_graph_llm,
        check_models,
        check_reranker,
    )

    context = resolve_context(fields)
    settings = load_settings()
    choices = {str(role): name for role, name in context.models.items()}
    if context.model is not None:
        choices[DEFAULT_CHOICE] = context.model
    roles = asyncio.run(check_models(ChatModels(settings, choices), settings))
    graph_llm = asyncio.run(check_graph_llm(settings))
    reranker = check_reranker(context.reranker or settings.reranker, settings)
    return {
        "roles": [_as_row(check) for check in roles],
        "graph_llm": _as_row(graph_llm) if graph_llm is not None else None,
        "embedder": _as_row(check_embedder(settings.embedder, settings)),
        "reranker": _as_row(reranker) if reranker is not None else None,
        "knowledge_bases": _knowledge_bases(settings),
        "local_models": _local_models(),
        "plugins": _plugins(),
        "tracing": check_collector(settings.tracing),
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
                {
                    **store,
                    "ok": store["in_step"],
                    "error": None if store["in_step"] else line_of_store(store),
                }
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


def show_health(report: dict[str, Any], console: Console) -> None:
    """Print the models, then a line each for embedder, reranker, knowledge bases, plugins."""
    if any(row["name"] for row in report["roles"]):
        console.print(_model_table(report["roles"]))
    else:
        console.print(_NO_MODEL)
    if report["graph_llm"] is not None:
        _line(console, f"graph LLM {report['graph_llm']['name']}", report["graph_llm"])
    for line in local_model_lines(report["local_models"]):
        console.print(line)
    _line(console, f"embedder {report['embedder']['name']}", report["embedder"])
    if report["reranker"] is not None:
        _line(console, f"reranker {report['reranker']['name']}", report["reranker"])
    for name, state in report["knowledge_bases"].items():
        where = "" if name == state["path"] else f" ({state['path']})"
        _line(console, f"knowledge base {name}{where}", state)
        for store in state.get("stores", ()):
            _line(console, f"knowledge base {name} on {store['store']}", store)
    if not report["knowledge_bases"]:
        console.print(_NO_KNOWLEDGE_BASE)
    for plugin in report["plugins"]:
        name, package = f"{plugin['kind']} {plugin['name']}", plugin["distribution"]
        _line(console, f"{name} ({package})", plugin)
    if report["tracing"] is not None:
        _line(console, f"traces to {report['tracing']['name']}", report["tracing"])
    versions = report["versions"].items()
    text = ", ".join(f"{name} {version or 'not installed'}" for name, version in versions)
    console.print(text, style="dim")


def local_model_lines(local: dict[str, Any]) -> list[str]:
    """Return a line for each model file with what its check found, and for each server here."""
    lines = []
    for file in local["files"]:
        check = file["check"]
        told = f"not checked: hoptrail model check {file['name']}"
        if check is not None:
            told = (
                f"{check['right']:.0%} right, {check['honest']:.0%} honest, "
                f"form kept {check['json_kept']:.0%}, reads {check['read_per_second']:,.0f} and "
                f"writes {check['written_per_second']:,.1f} tokens a second"
            )
        lines.append(printable(f"model file gguf:{file['name']}: {told}"))
    for server in local["servers"]:
        models = ", ".join(server["models"]) or "no model"
        lines.append(
            printable(
                f"{server['kind']} at {server['address']}: {models} (hoptrail model use NAME)"
            )
        )
    return lines


def _model_table(rows: list[dict[str, Any]]) -> Table:
    """Return a table with one row per model; several roles may share it."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    for heading in ("model", "roles", "key", "test call"):
        table.add_column(heading, overflow="fold")
    for name in dict.fromkeys(row["name"] for row in rows):
        served = [row for row in rows if row["name"] == name]
        parts = ", ".join(row["part"] for row in served) if len(served) < len(rows) else "all"
        model = printable(name or "none")
        table.add_row(model, parts, _KEYS[served[0]["key"]], _outcome(served[0]))
    return table


def _line(console: Console, subject: str, state: dict[str, Any]) -> None:
    from rich.text import Text

    console.print(Text.assemble(printable(subject), ": ", _outcome(state)))


def _outcome(state: dict[str, Any]) -> Text:
    from rich.text import Text

    if state["ok"]:
        seconds = state.get("seconds")
        text = "works" if seconds is None else f"works, {seconds:.2f} s"
        if state.get("generation") is not None:
            text = line_of_store(state)
        return Text(text, "green")
    if state.get("name", "") is None:
        return Text("-", "dim")
    return Text(printable(state["error"] or "does not work"), "red")
