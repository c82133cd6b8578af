"""Hoptrail for clients of the Model Context Protocol, such as desktop assistants and editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hoptrail import __version__
from hoptrail.core.optional import require

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool
    from mcp.server import Server
    from mcp.types import CallToolResult, Tool

    from hoptrail.api import Hoptrail

_INSTRUCTIONS = (
    "Answers questions from the user's own documents, with the quote behind each step. Ask it "
    "before you answer from memory about what these documents may say, and name the files that "
    "its quotes stand in."
)


def make_tool_server(bases: Mapping[str, Hoptrail]) -> Server[Any]:
    """Return a server of `ask`, `search`, `explore` and `read` over open knowledge bases.

    A mistake in a call, such as an unknown id, is a result with `isError`, which the protocol means
    for the model to read.

    Args:
        bases: The bases by name; they have to stay open. With several, each tool's name begins
            with that of its base.

    Raises:
        MissingExtraError: If the package `mcp` is not installed.
        InputError: If the name of a base cannot begin the name of a tool.
    """
    server = require("mcp.server", extra="mcp", purpose="hoptrail mcp")
    types = require("mcp.types", extra="mcp", purpose="hoptrail mcp")
    prefixes = bases if len(bases) > 1 else dict.fromkeys(bases, "")
    tools = {
        tool.name: tool
        for name, base in bases.items()
        for tool in base.tools(prefix=name if prefixes[name] else "")
    }
    listed = types.ListToolsResult(tools=[_described(tool) for tool in tools.values()])

    async def list_tools(context: Any, parameters: Any) -> Any:
        return listed

    async def call_tool(context: Any, parameters: Any) -> CallToolResult:
        tool = tools.get(parameters.name)
        if tool is None:
            return _result(f"error: there is no tool {parameters.name!r}", is_error=True)
        return await _called(tool, parameters.arguments or {})

    made: Server[Any] = server.Server(
        "hoptrail",
        version=__version__,
        title="Hoptrail",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    return made


async def serve_on_stdio(server: Server[Any]) -> None:
    """Answer one client on standard input and output until it closes them."""
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _described(tool: BaseTool) -> Tool:
    """Return a tool as the protocol describes it: it reads, and reaches the base alone."""
    from mcp.types import Tool, ToolAnnotations

    return Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.get_input_jsonschema(),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


async def _called(tool: BaseTool, arguments: Mapping[str, Any]) -> CallToolResult:
    call = {"type": "tool_call", "id": tool.name, "name": tool.name, "args": dict(arguments)}
    message = await tool.ainvoke(call)
    return _result(str(message.content), is_error=message.status == "error")


def _result(text: str, *, is_error: bool) -> CallToolResult:
    from mcp.types import CallToolResult, TextContent

    return CallToolResult(content=[TextContent(text=text)], is_error=is_error)
