"""`hoptrail serve`: the LangGraph server on Hoptrail's graph."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options

if TYPE_CHECKING:
    from hoptrail.core.settings import Settings

DEFAULTS_VARIABLE = "HOPTRAIL_SERVE_DEFAULTS"
_GRAPH = "hoptrail.graphs.qa:graph"
_GRAPH_WITH_DEFAULTS = "hoptrail.cli.served_graph:graph"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    kb: Annotated[
        list[str] | None,
        typer.Option("--kb", metavar="NAME=DIR", help="Knowledge base to serve; repeatable."),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port.")] = 2024,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Serve the graph to LangGraph clients and Studio.

    Clients name knowledge bases and models; they can pass neither paths nor keys.
    """
    from hoptrail.cli.choices import context_fields
    from hoptrail.cli.output import emit_json, warn
    from hoptrail.core.settings import load_settings

    _require_server()
    graph = _graph_with(context_fields(assignments, seed=seed))
    settings = load_settings()
    folders = _served_folders(kb or [], settings)
    require_free_port(host, port)
    os.environ["HOPTRAIL_KNOWLEDGE_BASES"] = json.dumps(folders)
    url = url_of(host, port)
    warn_if_open(host, "asks for no login")
    if as_json:
        emit_json({"url": url, "graphs": ["hoptrail"], "knowledge_bases": folders})
    else:
        warn(f"serving {', '.join(folders)} on {url} (API reference: {url}/docs), Ctrl-C stops")
    _run_server(host, port, graph)


def _graph_with(defaults: dict[str, Any]) -> str:
    """Return the graph to serve as `module:attribute`; `defaults` reach it by environment."""
    if not defaults:
        return _GRAPH
    from hoptrail.graphs.context import resolve_context
    from hoptrail.tools.services import allow_models

    context = resolve_context(defaults)
    allow_models(*filter(None, (context.model, *context.models.values())))
    os.environ[DEFAULTS_VARIABLE] = json.dumps(defaults)
    return _GRAPH_WITH_DEFAULTS


def _require_server() -> None:
    from hoptrail.core.optional import require

    for package in ("langgraph_cli", "langgraph_api"):
        require(package, extra="serve", purpose="hoptrail serve")


def _served_folders(choices: list[str], settings: Settings) -> dict[str, str]:
    """Return the folders by name, those of the settings first, each checked to open."""
    from hoptrail.core.errors import SettingsError

    folders = {name: str(path.resolve()) for name, path in settings.knowledge_bases.items()}
    for choice in choices:
        name, separator, folder = choice.partition("=")
        if not separator or not name or not folder:
            raise SettingsError(f"--kb {choice!r} names no folder", hint="use --kb NAME=DIR")
        folders[name] = str(Path(folder).resolve())
    if not folders:
        raise SettingsError(
            "no knowledge base to serve", hint="use --kb NAME=DIR, or list some in hoptrail.toml"
        )
    from hoptrail.api import Hoptrail

    for folder in folders.values():
        Hoptrail.open(folder).close()
    return folders


def url_of(host: str, port: int) -> str:
    """Return the URL of a server."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def warn_if_open(host: str, lack: str) -> None:
    """Warn of an address that is not only this machine's; `lack` says what does not protect it."""
    from hoptrail.cli.output import warn

    if host not in _LOOPBACK:
        warn(f"warning: {host} is reachable from other machines and the server {lack}")


def require_free_port(host: str, port: int) -> None:
    """Raise SettingsError if the address cannot be listened on; the server would take another."""
    import socket

    from hoptrail.core.errors import SettingsError

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


def _run_server(host: str, port: int, graph: str) -> None:
    """Run `langgraph dev` in this process until it is stopped, its log on stderr."""
    import sys
    from contextlib import redirect_stdout
    from tempfile import TemporaryDirectory

    # Neither the CLI's usage reports nor its version check should leave the machine unasked.
    os.environ.setdefault("LANGGRAPH_CLI_NO_ANALYTICS", "1")
    os.environ.setdefault("LANGGRAPH_NO_VERSION_CHECK", "true")
    os.environ.setdefault("LOG_LEVEL", "WARNING")
    with TemporaryDirectory(prefix="hoptrail-serve-") as folder, redirect_stdout(sys.stderr):
        config = Path(folder) / "langgraph.json"
        content = {"dependencies": ["hoptrail"], "graphs": {"hoptrail": graph}}
        config.write_text(json.dumps(content), encoding="utf-8")
        from langgraph_cli.cli import dev

        arguments: list[Any] = ["--config", str(config), "--host", host, "--port", str(port)]
        dev.main([*arguments, "--no-browser", "--no-reload"], standalone_mode=False)
