"""Hoptrail for clients of the Model Context Protocol, such as desktop assistants and editors."""

from __future__ import annotations

from hoptrail.mcp.tool_server import make_tool_server

__all__ = ["make_tool_server"]
