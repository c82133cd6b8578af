"""How a node calls a tool: as a model would, so that every access shows in a trace."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from langchain_core.tools import BaseTool

from hoptrail.core.tracing.spans import span


async def call_tool(tool: BaseTool, **arguments: Any) -> Any:
    """Send a proper tool call and return the artifact; blocking tools run in a thread.

    Raises:
        HoptrailError: What the tool raised.
    """
    call = {"type": "tool_call", "id": uuid4().hex, "name": tool.name, "args": arguments}
    told = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool.name,
        "gen_ai.tool.type": "function",
        "openinference.span.kind": "TOOL",
    }
    with span(f"execute_tool {tool.name}", told) as one:
        one.set_json("gen_ai.tool.call.arguments", arguments)
        message = await tool.ainvoke(call)
        one.set_text("gen_ai.tool.call.result", str(message.content))
    return message.artifact
