"""The web application behind a real nginx, under a path, as docs/web.md sets it up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.nginx_server import block_of, nginx_server
from tests.page import real_browser, visiting
from tests.ships import QUESTION
from tests.web_server import read_events, web_server

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parents[3] / "docs" / "web.md"


@pytest.fixture(scope="module")
def address(ships: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address under which the proxy shows the application."""
    folder = tmp_path_factory.mktemp("proxy")
    with (
        web_server(folder, {"ships": ships}, root_path="/facts") as server,
        nginx_server(folder, _location(server.url)) as proxy,
    ):
        yield f"{proxy}/facts"


def _location(url: str) -> str:
    """Return the guide's location block for an application at another address."""
    return block_of(GUIDE, "location /facts/ {").replace("http://127.0.0.1:8077", url)


def test_the_page_asks_and_opens_a_source(address: str) -> None:
    with real_browser() as browser, visiting(browser, address) as visit:
        visit.ask(QUESTION)
        visit.page.locator(".drawing svg").wait_for()
        visit.page.locator(".steps .quote").first.click()

        visit.page.locator("#source mark").wait_for()
        assert "/facts/#/thread/" in visit.page.url


def test_events_come_through(address: str) -> None:
    asked = {"question": QUESTION}
    with (
        httpx.Client(base_url=f"{address}/api/v1", timeout=60) as client,
        client.stream("POST", "/ask", json=asked, headers={"Accept": "text/event-stream"}) as got,
    ):
        names = [name for name, _ in read_events(got)]

    assert names[0] == "start"
    assert names[-1] == "answer"


def test_links_for_chat_clients_are_those_of_the_proxy(address: str) -> None:
    body = {"model": "ships", "messages": [{"role": "user", "content": QUESTION}]}

    answer = httpx.post(f"{address}/v1/chat/completions", json=body, timeout=60).json()

    assert answer["citations"][0].startswith(f"{address}/#/document?")


def test_a_proxy_that_loses_the_port_is_told(address: str) -> None:
    origin = address.removesuffix("/facts")
    headers = {"Host": "127.0.0.1", "Origin": origin}

    refused = httpx.get(f"{address}/api/v1", headers=headers)
    files = httpx.get(f"{address}/static/app.js", headers=headers)

    assert refused.status_code == 403
    assert "without its port" in refused.json()["error"]["message"]
    assert files.status_code == 200
