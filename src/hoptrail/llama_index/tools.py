"""Hoptrail's tools for agents as LlamaIndex tools."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel

from hoptrail.api import Hoptrail
from hoptrail.core.filter_text import FilterForm


def hoptrail_tools(
    hoptrail: Hoptrail, *names: str, filter: FilterForm | None = None, prefix: str = ""
) -> list[FunctionTool]:
    """Return tools for an agent of LlamaIndex: `ask`, `search`, `explore` and `read`.

    Args:
        hoptrail: The open knowledge base; it has to stay open.
        *names: Other tools by name; see `Hoptrail.tools`.
        filter: Documents that they reach, as a text or in JSON form; by default as given to `open`.
        prefix: Put before the names, to tell the tools of several knowledge bases apart.

    Raises:
        UnknownNameError: If there is no tool of a name.
    """
    return [_function_tool(tool) for tool in hoptrail.tools(*names, filter=filter, prefix=prefix)]


def _function_tool(tool: BaseTool) -> FunctionTool:
    def call(**arguments: Any) -> Any:
        return tool.invoke(arguments)

    async def acall(**arguments: Any) -> Any:
        return await tool.ainvoke(arguments)

    schema = tool.get_input_schema()
    assert issubclass(schema, BaseModel)
    return FunctionTool.from_defaults(
        call, name=tool.name, description=tool.description, fn_schema=schema, async_fn=acall
    )
