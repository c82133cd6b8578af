"""`hoptrail serve`: the LangGraph server on Hoptrail's graph; `hoptrail mcp`: tools for agents."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.output import emit_json, warn
from hoptrail.core.errors import SettingsError

if TYPE_CHECKING:
    from hoptrail.cli.gate_rules import GateRules
    from hoptrail.core.settings import ServedBase, Settings
    from hoptrail.graphs.context import Context

DEFAULTS_VARIABLE = "HOPTRAIL_SERVE_DEFAULTS"
RULES_VARIABLE = "HOPTRAIL_SERVE_RULES"
GRACE_VARIABLE = "HOPTRAIL_SERVE_GRACE"
_GRAPH = "hoptrail.graphs.qa:graph"
_GRAPH_WITH_DEFAULTS = "hoptrail.cli.served_graph:graph"
ANY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - what an operator may listen on


def serve(
    kb: options.ServedBases = None,
    host: options.Host = "127.0.0.1",
    port: options.Port = 2024,
    studio: Annotated[
        bool, typer.Option("--studio", help="Let LangGraph Studio's page use the server.")
    ] = False,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin", metavar="URL", help="Let pages of this origin use it; repeatable."
        ),
    ] = None,
    allow_host: options.AllowHost = None,
    grace: options.Grace = options.GRACE_SECONDS,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Serve the graph to LangGraph clients and Studio.

    Clients name knowledge bases and models; they can pass neither paths nor keys. Threads end with
    the server. Ctrl-C and SIGTERM let running answers finish.
    """
    _require_server()
    from hoptrail.cli.server_process import pin_settings, run_server

    graph = _graph_with(options.context_fields(assignments, seed=seed))
    settings = pin_settings()
    hosts = [*settings.allowed_hosts, *(allow_host or [])]
    rules = _rules(host, studio, allow_origin or [], hosts)
    bases = served_bases(kb or [], settings)
    _check_embedders(bases, settings)
    folders = {name: str(base.records) for name, base in bases.items()}
    require_free_port(host, port)
    os.environ["HOPTRAIL_KNOWLEDGE_BASES"] = json.dumps(
        {name: base.model_dump(mode="json", exclude_none=True) for name, base in bases.items()}
    )
    os.environ[RULES_VARIABLE] = rules.to_json()
    os.environ[GRACE_VARIABLE] = str(grace)
    url = url_of(host, port)
    warn_if_open(host, "asks for no login")
    if as_json:
        emit_json({"url": url, "graphs": ["hoptrail"], "knowledge_bases": folders})
    else:
        warn(f"serving {', '.join(folders)} on {url} (API reference: {url}/docs), Ctrl-C stops")
        warn("threads are kept in memory and end with the server")
        if studio:
            warn(f"Studio: {_studio_url(url)}")
    run_server(host, port, graph)


def _rules(host: str, studio: bool, origins: list[str], hosts: list[str]) -> GateRules:
    """Return which requests pass: those to this address, from no page but the allowed ones."""
    from hoptrail.cli.gate_rules import STUDIO_ORIGIN, GateRules
    from hoptrail.web.origin_rules import read_host, read_origin

    allowed = {read_origin(url) for url in origins} | ({STUDIO_ORIGIN} if studio else set())
    names = {read_host(name) for name in hosts}
    if host not in ANY_ADDRESS:
        names.add(host.lower())
    return GateRules(frozenset(names), frozenset(allowed), any_address=host in ANY_ADDRESS)


def _studio_url(url: str) -> str:
    from hoptrail.cli.gate_rules import STUDIO_ORIGIN

    return f"{STUDIO_ORIGIN}/studio/?baseUrl={url}"


def _graph_with(defaults: dict[str, Any]) -> str:
    """Return the graph to serve as `module:attribute`; `defaults` reach it by environment."""
    if not defaults:
        return _GRAPH
    from hoptrail.graphs.context import resolve_context
    from hoptrail.services.request_services import allow_models

    context = resolve_context(defaults)
    allow_models(*filter(None, (context.model, context.reranker, *context.models.values())))
    os.environ[DEFAULTS_VARIABLE] = json.dumps(defaults)
    return _GRAPH_WITH_DEFAULTS


def served_defaults() -> Context:
    """Return the defaults that the environment of a served graph holds."""
    from hoptrail.graphs.context import resolve_context

    return resolve_context(json.loads(os.environ.get(DEFAULTS_VARIABLE) or "{}"))


def _require_server() -> None:
    from hoptrail.core.optional import require

    # Not its runtime: importing that here would unpickle what lies in the user's directory.
    require("langgraph_api", extra="serve", purpose="hoptrail serve")


def served_bases(choices: list[str], settings: Settings) -> dict[str, ServedBase]:
    """Return the bases that are chosen, by name, each checked to open.

    Where none is chosen, those of the settings are; where these list none, that of commands without
    `--kb` is served under its folder's name.
    """
    from hoptrail.core.settings import ServedBase
    from hoptrail.stores.records.folder import holds_database

    bases: dict[str, ServedBase] = {}
    for choice in choices or settings.knowledge_bases:
        name, base = _served_base(choice, settings)
        if bases.get(name, base) != base:
            raise SettingsError(
                f"two knowledge bases are called {name}", hint="name one with --kb NAME=DIR"
            )
        bases[name] = base
    if not bases and holds_database(Path(settings.kb)):
        folder = Path(settings.kb).resolve()
        bases[folder.name] = ServedBase(records=folder)
    if not bases:
        raise SettingsError(
            f"no knowledge base to serve: none is listed, and none lies at {settings.kb}",
            hint="use --kb NAME=DIR, or list some in hoptrail.toml",
        )
    from hoptrail.api import Hoptrail

    for base in bases.values():
        Hoptrail.open(base.records).close()
    return bases


def _check_embedders(bases: dict[str, ServedBase], settings: Settings) -> None:
    """Open each base with its embedder: one that does not fit ends the start, not each question.

    Raises:
        EmbedderMismatchError: If a base was embedded with another one.
    """
    from hoptrail.api import Hoptrail

    listed = settings.model_copy(update={"knowledge_bases": bases})
    for name in bases:
        with Hoptrail.open(name, settings=listed) as hoptrail:
            hoptrail.knowledge_base  # noqa: B018 - the embedder is loaded by looking


def _served_base(choice: str, settings: Settings) -> tuple[str, ServedBase]:
    """Return the base that `NAME=DIR` stands for; a folder alone is served under its own name."""
    from hoptrail.core.settings import ServedBase

    if choice in settings.knowledge_bases:
        base = settings.knowledge_bases[choice]
        return choice, base.model_copy(update={"records": base.records.resolve()})
    name, separator, path = choice.partition("=")
    if separator and name and path and not Path(choice).exists():
        return name, ServedBase(records=Path(path).resolve())
    folder = Path(choice).resolve()
    if not choice or not folder.exists():
        raise SettingsError(
            f"--kb {choice!r} names no folder", hint="use --kb DIR, or --kb NAME=DIR to name it"
        )
    return folder.name, ServedBase(records=folder)


def url_of(host: str, port: int) -> str:
    """Return the URL of a server."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def warn_if_open(host: str, lack: str) -> None:
    """Warn of an address that is not only this machine's; `lack` says what does not protect it."""
    from hoptrail.web.origin_rules import LOOPBACK

    if host not in LOOPBACK:
        warn(f"warning: {host} is reachable from other machines and the server {lack}")


def require_free_port(host: str, port: int) -> None:
    """Raise SettingsError if the address cannot be listened on; the server would take another."""
    import socket

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SettingsError(
            f"cannot listen on {host} port {port}: {reason}", hint="choose another --host or --port"
        ) from error


def mcp(
    kb: options.ServedBases = None,
    preset: options.Preset = None,
    model: options.Models = None,
    filter: options.Filter = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
) -> None:
    """Give desktop assistants and editors tools over knowledge bases (MCP).

    A client of the Model Context Protocol starts this command itself and talks to it on standard
    input and output: name the command in the client's settings. It ends when the client does.
    """
    import asyncio
    from contextlib import ExitStack

    from hoptrail.core.optional import require
    from hoptrail.core.settings import load_settings

    require("mcp.server", extra="mcp", purpose="hoptrail mcp")
    from hoptrail.api import Hoptrail
    from hoptrail.mcp import make_tool_server, serve_on_stdio

    settings = load_settings()
    served = served_bases(kb or [], settings)
    settings = settings.model_copy(update={"knowledge_bases": served})
    context = options.context_fields(
        assignments, models=model, filters=filter, preset=preset, seed=seed
    )
    with ExitStack() as opened:
        bases = {
            name: opened.enter_context(Hoptrail.open(name, settings=settings, **context))
            for name in served
        }
        for base in bases.values():
            base.knowledge_base  # noqa: B018 - an embedder that does not fit is told now
            if filter:
                base.documents(limit=1)  # an unknown field is told now, not at each call
        asyncio.run(serve_on_stdio(make_tool_server(bases)))
