"""`hoptrail mcp` as an assistant uses it: a process that speaks the protocol on its two pipes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import TextContent

from hoptrail import Hoptrail

pytestmark = pytest.mark.slow


async def test_an_assistant_starts_the_command_and_asks(tmp_path: Path) -> None:
    (tmp_path / "mill.txt").write_text("Ann Lee founded Oak Mill in Varde.", encoding="utf-8")
    with Hoptrail.open(tmp_path / "kb", create=True) as hoptrail:
        hoptrail.index([tmp_path / "mill.txt"], extractor="nlp")
    command = StdioServerParameters(
        command=str(Path(sys.executable).with_name("hoptrail")),
        args=["mcp", "--kb", "mills=kb"],
        env=dict(os.environ),
        cwd=tmp_path,
    )

    async with Client(stdio_client(command)) as client:
        answered = await client.call_tool("ask", {"question": "Who founded Oak Mill?"})

    (content,) = answered.content
    assert isinstance(content, TextContent)
    assert content.text.startswith("Ann Lee")
    assert "mill.txt" in content.text
