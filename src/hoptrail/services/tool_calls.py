"""How a node calls a tool: as a model would, so that every access shows in a trace."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from langchain_core.tools import BaseTool


async def call_tool(tool: BaseTool, **arguments: Any) -> Any:
    """Send a proper tool call and return the artifact; blocking tools run in a thread.

    Raises:
        HoptrailError: What the tool raised.
    """
    call = {"type": "tool_call", "id": uuid4().hex, "name": tool.name, "args": arguments}
    message = await tool.ainvoke(call)
    return message.artifact
