"""The web application on a real uvicorn in a thread of the test, over the small ship base."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from hoptrail.core.settings import ApiKey, ServedBase, Settings
from hoptrail.core.types import JsonDict
from hoptrail.web.application import create_app
from hoptrail.web.keys import keys_of_settings
from hoptrail.web.new_key import make_key
from hoptrail.web.options import WebOptions
from hoptrail.web.server import GracefulServer
from tests.ships import hashing_settings
from tests.waiting import wait_for


@dataclass(frozen=True)
class WebServer:
    """A running application and the folder of its data."""

    url: str
    data: Path
    keys: Mapping[str, str]
    _open: ExitStack

    def client(self, key: str | None = None, **headers: str) -> httpx.Client:
        """Return a client of the API, with the key of that name."""
        if key is not None:
            headers["Authorization"] = f"Bearer {self.keys[key]}"
        client = httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=60)
        return self._open.enter_context(client)


@contextmanager
def web_server(
    folder: Path,
    bases: Mapping[str, Path | ServedBase],
    *,
    keys: Mapping[str, JsonDict] | None = None,
    settings: Settings | None = None,
    root_path: str = "",
    **options: Any,
) -> Iterator[WebServer]:
    """Run an application until the end of the test.

    Args:
        folder: For its data.
        bases: Folders of knowledge bases by name, with their servers where they have some.
        keys: What the holder of each key may do, by name.
        settings: By default those of the hashing embedder.
        root_path: Path under which a proxy shows it.
        **options: Fields of `WebOptions`.
    """
    made = {name: make_key(name) for name in keys or {}}
    rights = {
        name: ApiKey(sha256=made[name][1], **allowed) for name, allowed in (keys or {}).items()
    }
    settings = (settings or hashing_settings()).model_copy(update={"keys": rights})
    chosen = WebOptions(
        bases={name: ServedBase.model_validate(base) for name, base in bases.items()},
        data=folder / "data",
        **{"context": {"preset": "offline"}, **options},
    )
    app = create_app(chosen, settings, read_keys=keys_of_settings)
    proxies = [] if settings.sign_on is None else [str(one) for one in settings.sign_on.proxies]
    server = GracefulServer(
        app, host="127.0.0.1", port=0, root_path=root_path, grace=10, proxies=proxies
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_for(lambda: server.started or not thread.is_alive(), "the server did not start")
        port = server.servers[0].sockets[0].getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        wait_for(lambda: httpx.get(f"{url}/ready").is_success, "the server is not ready")
        with ExitStack() as opened:
            secrets = {name: key for name, (key, _) in made.items()}
            yield WebServer(url, chosen.data, secrets, opened)
    finally:
        server.should_exit = True
        thread.join()


def read_events(response: httpx.Response) -> Iterator[tuple[str, Any]]:
    """Yield name and data of each server-sent event."""
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
