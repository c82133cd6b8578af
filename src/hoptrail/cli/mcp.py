"""`hoptrail mcp`: the tools for agents on standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from hoptrail.cli import options


def mcp(
    kb: Annotated[
        list[str] | None,
        typer.Option("--kb", metavar="[NAME=]DIR", help="Knowledge base to serve; repeatable."),
    ] = None,
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

    from hoptrail.cli.choices import context_fields
    from hoptrail.cli.serve import served_bases
    from hoptrail.core.optional import require
    from hoptrail.core.settings import load_settings

    require("mcp.server", extra="mcp", purpose="hoptrail mcp")
    from hoptrail.api import Hoptrail
    from hoptrail.mcp.tool_server import make_tool_server, serve_on_stdio

    settings = load_settings()
    served = served_bases(kb or [], settings)
    settings = settings.model_copy(update={"knowledge_bases": served})
    context = context_fields(assignments, models=model, filters=filter, preset=preset, seed=seed)
    with ExitStack() as opened:
        bases = {
            name: opened.enter_context(Hoptrail.open(name, settings=settings, **context))
            for name in served
        }
        asyncio.run(serve_on_stdio(make_tool_server(bases)))
