from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client
from mcp.types import CallToolResult, TextContent

from hoptrail import Hoptrail
from hoptrail.core.errors import InputError
from hoptrail.mcp import make_tool_server
from tests.ships import QUESTION, hashing_settings


def open_ships(folder: Path) -> Hoptrail:
    return Hoptrail.open(folder, settings=hashing_settings(), preset="offline")


@asynccontextmanager
async def client_of(ships: Path) -> AsyncIterator[Client]:
    """Connect a client to a server of one base; an async fixture would close it in another task."""
    with open_ships(ships) as opened:
        async with Client(make_tool_server({"ships": opened})) as client:
            yield client


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def test_one_base_has_tools_of_plain_names(ships: Path) -> None:
    async with client_of(ships) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["ask", "search", "explore", "read"]


async def test_a_tool_tells_its_arguments(ships: Path) -> None:
    async with client_of(ships) as client:
        search = (await client.list_tools()).tools[1]
    assert search.input_schema["required"] == ["query"]
    assert set(search.input_schema["properties"]) == {"query", "k"}


async def test_tools_are_described_as_reading_only(ships: Path) -> None:
    async with client_of(ships) as client:
        tools = (await client.list_tools()).tools
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)


async def test_an_answer_has_its_quotes_and_files(ships: Path) -> None:
    with open_ships(ships) as opened:
        expected = opened.ask(QUESTION)

    async with client_of(ships) as client:
        answered = await client.call_tool("ask", {"question": QUESTION})

    assert not answered.is_error
    assert expected.text in text_of(answered)
    for hop in expected.trail.hops:
        assert hop.doc_id is not None and hop.doc_id in text_of(answered)


async def test_a_passage_that_was_found_can_be_read(ships: Path) -> None:
    with open_ships(ships) as opened:
        passage = opened.retrieve(QUESTION)["passages"][0]
    async with client_of(ships) as client:
        found = await client.call_tool("search", {"query": QUESTION})
        read = await client.call_tool("read", {"source": passage["chunk_id"]})

    assert passage["chunk_id"] in text_of(found)
    assert passage["text"] in text_of(read)


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("read", {"source": "nowhere.txt"}, "nowhere.txt"),
        ("search", {"query": "ships", "k": 1_000}, "k: "),
        ("search", {}, "query: "),
        ("write", {}, "no tool 'write'"),
    ],
)
async def test_a_mistake_is_a_result_for_the_model(
    ships: Path, tool: str, arguments: dict[str, object], told: str
) -> None:
    async with client_of(ships) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert told in text_of(result)


async def test_several_bases_are_told_apart_by_name(ships: Path) -> None:
    with open_ships(ships) as opened, open_ships(ships) as fleet:
        async with Client(make_tool_server({"ships": opened, "fleet": fleet})) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
    assert names[::4] == ["ships_ask", "fleet_ask"]


def test_a_name_that_no_tool_can_have_is_refused(ships: Path) -> None:
    with open_ships(ships) as opened, pytest.raises(InputError, match="old ships"):
        make_tool_server({"ships": opened, "old ships": opened})
