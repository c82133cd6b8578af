"""Who may call `hoptrail serve`, and what it reads from the folder that it is started in."""

from __future__ import annotations

import http.client
import json
import os
import pickle
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import NotFoundError

from hoptrail.core.settings import Settings
from hoptrail.prompts import loader
from hoptrail.testing import OpenAIStubServer
from tests.serving import ServerProcess, serving
from tests.ships import QUESTION, REPLY, index_ships

pytestmark = pytest.mark.slow

JSON = {"Content-Type": "application/json"}
# Every file that the LangGraph server's memory is kept in, whatever its version names them.
PICKLES = (
    ".langgraph_ops.pckl",
    ".langgraph_retry_counter.pckl",
    ".langgraph_checkpoint.1.pckl",
    ".langgraph_checkpoint.2.pckl",
    "store.pckl",
    "store.vectors.pckl",
)
HOUSE_STYLE = "Our house style is short."


@dataclass(frozen=True)
class Access:
    """A server started in a folder that others wrote to, and the model behind it."""

    server: ServerProcess
    client: SyncLangGraphClient
    model: OpenAIStubServer
    folder: Path

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> Answer:
        return ask(self.server.port, method, path, body, headers)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str


def ask(port: int, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
    """Send one request as it is; a header `content_type` is `Content-Type`."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        reply = connection.getresponse()
        given = {name.lower(): value for name, value in reply.getheaders()}
        return Answer(reply.status, given, reply.read().decode())
    finally:
        connection.close()


class Harm:
    """An object that makes a folder when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self._mark),)


def script(body: dict[str, Any]) -> str:
    return REPLY if "FINAL ANSWER" in str(body["messages"]) else "bridge"


@pytest.fixture(scope="module")
def access(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Access]:
    folder = tmp_path_factory.mktemp("access")
    index_ships(folder / "kb", Settings())
    (folder / ".langgraph_api").mkdir()
    for name in PICKLES:
        (folder / ".langgraph_api" / name).write_bytes(pickle.dumps(Harm(folder / "harm")))
    _write_prompt(folder / "prompts")
    with OpenAIStubServer(script) as model:
        (folder / "hoptrail.toml").write_text(
            f'model = "openai:stub"\nbase_url = "{model.url}"\napi_key = "key-of-the-file"\n'
            'prompts_dir = "prompts"\n[knowledge_bases]\nships = "kb"\n',
            encoding="utf-8",
        )
        with serving(folder) as server, get_sync_client(url=server.url) as client:
            yield Access(server, client, model, folder)


def _write_prompt(folder: Path) -> None:
    name = "answer_sparql.md"
    text = (Path(loader.__file__).parent / name).read_text(encoding="utf-8")
    folder.mkdir()
    changed = text.replace("# system\n", f"# system\n{HOUSE_STYLE}\n")
    (folder / name).write_text(changed, encoding="utf-8")


def test_settings_of_the_folder_it_is_started_in_hold(access: Access) -> None:
    thread = access.client.threads.create()["thread_id"]

    state: Any = access.client.runs.wait(
        thread, "hoptrail", input={"question": QUESTION}, context={"preset": "reasoning"}
    )

    assert state["answer"]["answer"] == "Edda Thorn"
    assert any(HOUSE_STYLE in request.text for request in access.model.requests)
    keys = {request.headers["authorization"] for request in access.model.requests}
    assert keys == {"Bearer key-of-the-file"}


def test_nothing_is_unpickled_from_the_folder_it_is_started_in(access: Access) -> None:
    found = sorted(path.name for path in (access.folder / ".langgraph_api").iterdir())

    assert not (access.folder / "harm").exists()
    assert found == sorted(PICKLES)


def test_it_works_in_a_folder_of_its_own_that_holds_no_conversation(access: Access) -> None:
    thread = access.client.threads.create()["thread_id"]
    access.client.runs.wait(thread, "hoptrail", input={"question": QUESTION})

    (own,) = access.server.own_folders

    assert os.name == "nt" or own.stat().st_mode & 0o077 == 0
    assert [path for path in own.rglob("*") if path.is_file()] == []
    assert "threads are kept in memory and end with the server" in access.server.log


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({**JSON, "Origin": "http://evil.example"}, 403),
        ({**JSON, "Host": "evil.example"}, 400),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_what_a_foreign_page_can_send_is_refused(
    access: Access, headers: dict[str, str], status: int
) -> None:
    answer = access.ask("POST", "/threads", "{}", **headers)

    assert answer.status == status
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert len(json.loads(answer.text)["detail"].splitlines()) == 1


def test_its_own_page_and_programs_may_call_it(access: Access) -> None:
    own = f"http://localhost:{access.server.port}"
    host = f"localhost:{access.server.port}"

    of_page = access.ask("POST", "/threads", "{}", **JSON, Origin=own, Host=host)
    of_program = access.ask("POST", "/threads", "{}", **JSON)

    assert (of_page.status, of_program.status) == (200, 200)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/runs/crons"),
        ("POST", "/runs/crons/search"),
        ("POST", "/threads/11111111-1111-1111-1111-111111111111/runs/crons"),
        ("POST", "/store/items/search"),
        ("POST", "/mcp"),
        ("POST", "/a2a/hoptrail"),
        ("POST", "/assistants"),
        ("GET", "/metrics"),
        ("GET", "/deploy"),
        ("POST", "/deploy"),
        ("POST", "/internal/truncate"),
    ],
)
def test_what_hoptrail_does_not_need_is_not_served(access: Access, method: str, path: str) -> None:
    answer = access.ask(method, path, "{}" if method == "POST" else None, **JSON)

    assert answer.status == 404
    assert json.loads(answer.text)["detail"].endswith("is not served by hoptrail")


@pytest.mark.parametrize("path", ["/", "/ok", "/info", "/docs", "/openapi.json"])
def test_what_tells_about_the_server_is_served(access: Access, path: str) -> None:
    assert access.ask("GET", path).status == 200


def test_a_webhook_is_not_called(access: Access) -> None:
    called = threading.Event()

    class Hook(_Page):
        def do_POST(self) -> None:
            called.set()

    with listening(Hook) as port:
        hook = f"http://127.0.0.1:{port}/"
        body = {"assistant_id": "hoptrail", "input": {"question": QUESTION}, "webhook": hook}
        access.ask("POST", "/runs/wait", json.dumps(body), **JSON)

    assert not called.is_set()


def test_a_clients_mistake_is_refused_in_one_line(access: Access) -> None:
    body = json.dumps({"assistant_id": "hoptrail", "input": {"qestion": "Who?"}})

    answer = access.ask("POST", "/runs/wait", body, **JSON)

    assert answer.status == 422
    detail = json.loads(answer.text)["detail"]
    assert detail.startswith("unknown input field 'qestion' (did you mean 'question'?)")
    assert len(detail.splitlines()) == 1


def test_the_official_client_is_told_what_is_closed(access: Access) -> None:
    with pytest.raises(NotFoundError, match="is not served by hoptrail"):
        access.client.crons.search()


class _Page(BaseHTTPRequestHandler):
    """A page of another origin that tries what it can, and says what came of it."""

    page = ""
    reports: Queue[dict[str, str]] = Queue()

    def do_GET(self) -> None:
        text = self.page if self.path == "/page" else "{}"
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if self.path == "/page" else "text/plain")
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self) -> None:
        report = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.reports.put(json.loads(report))

    def log_message(self, format: str, *args: object) -> None:
        pass


class listening:  # noqa: N801 - used as a function
    """Serve requests with a handler; gives the port."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> int:
        self._thread.start()
        return self._server.server_address[1]

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


ATTEMPTS = """<!doctype html><body><script>
const json = {method: "POST", headers: {"content-type": "application/json"}};
const mark = JSON.stringify({metadata: {written: "by a page"}});
const attempts = {
  own: () => fetch("/own").then(reply => reply.text()),
  info: () => fetch("TARGET/info").then(reply => reply.text()),
  search: () => fetch("TARGET/threads/search", {...json, body: "{}"}).then(reply => reply.text()),
  thread: () => fetch("TARGET/threads/THREAD/state").then(reply => reply.text()),
  write: () => fetch("TARGET/threads", {...json, body: mark}).then(reply => reply.text()),
  plain: () => fetch("TARGET/threads", {method: "POST", body: mark}).then(reply => reply.text()),
  hidden: () => fetch("TARGET/threads", {method: "POST", mode: "no-cors", body: mark})
    .then(reply => reply.text()).then(text => { if (!text) throw new Error("opaque") }),
  picture: () => new Promise((load, fail) => {
    const script = document.createElement("script");
    script.onload = load; script.onerror = fail; script.src = "TARGET/info";
    document.body.append(script);
  }),
  socket: () => new Promise((open, fail) => {
    const socket = new WebSocket("TARGET".replace("http", "ws") + "/threads/THREAD/stream/events");
    socket.onopen = open; socket.onerror = fail;
  }),
};
(async () => {
  const results = {};
  for (const [name, attempt] of Object.entries(attempts))
    results[name] = await attempt().then(() => "done", () => "failed");
  await fetch("/results", {method: "POST", body: JSON.stringify(results)});
})();
</script>"""


def test_a_page_of_another_origin_can_neither_read_nor_write_a_thread(
    access: Access, tmp_path: Path
) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    browser = browser or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    secret = access.client.threads.create(metadata={"holds": "a secret"})["thread_id"]

    page = ATTEMPTS.replace("TARGET", access.server.url).replace("THREAD", secret)

    results = browse(browser, page, tmp_path)

    attempted = {name: "failed" for name in results if name != "own"}
    assert results == {"own": "done", **attempted}
    assert len(attempted) == 8
    assert access.client.threads.search(metadata={"written": "by a page"}) == []
    (kept,) = access.client.threads.search(metadata={"holds": "a secret"})
    assert kept["thread_id"] == secret


def browse(browser: str, page: str, profile: Path) -> dict[str, str]:
    """Open a page in a real browser and return what it reports."""
    reports: Queue[dict[str, str]] = Queue()
    with listening(type("Page", (_Page,), {"page": page, "reports": reports})) as port:
        process = subprocess.Popen(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                f"--user-data-dir={profile}",
                f"http://127.0.0.1:{port}/page",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return reports.get(timeout=120)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=30)
