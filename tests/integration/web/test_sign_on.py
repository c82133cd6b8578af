"""Single sign-on on a real server: through a real nginx that asks for a login, and around it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hoptrail.core.settings import SignOn
from tests.identity import AUDIENCE, Issuer
from tests.nginx_server import block_of, nginx_server
from tests.page import real_browser, visiting
from tests.ships import QUESTION, hashing_settings
from tests.waiting import wait_for
from tests.web_server import WebServer, web_server

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parents[3] / "docs" / "deploy.md"
HEADER = "X-Forwarded-User"
# On this machine a proxy has an address of its own, so that nobody else speaks from it.
PROXY = "127.0.0.2"
CHOICES = {
    "header": HEADER,
    "proxies": [PROXY],
    "people": {"ben@example.org": {"bases": []}},
}
PASSWORDS = "anna@example.org:{PLAIN}pass\nben@example.org:{PLAIN}pass\n"


@pytest.fixture(scope="module")
def server(ships: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    folder = tmp_path_factory.mktemp("web")
    settings = hashing_settings(sign_on=SignOn.model_validate(CHOICES))
    with web_server(folder, {"ships": ships}, settings=settings, keys={"robot": {}}) as running:
        yield running


@pytest.fixture(scope="module")
def address(server: WebServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the proxy, which asks for a password."""
    folder = tmp_path_factory.mktemp("nginx")
    (folder / "passwords").write_text(PASSWORDS)
    location = block_of(GUIDE, "location / {").replace("http://127.0.0.1:8077", server.url)
    location = location.replace("/etc/nginx/hoptrail.passwords", str(folder / "passwords"))
    with nginx_server(folder, location) as proxy:
        yield proxy


def through(address: str, name: str, **headers: str) -> httpx.Client:
    """Return a client that logs in at the proxy."""
    login = httpx.BasicAuth(f"{name}@example.org", "pass")
    return httpx.Client(base_url=f"{address}/api/v1", auth=login, headers=headers, timeout=60)


def from_proxy(server: WebServer, **headers: str) -> httpx.Client:
    """Return a client that speaks to the server from the address of the proxy."""
    line = httpx.HTTPTransport(local_address=PROXY)
    return httpx.Client(
        base_url=f"{server.url}/api/v1", transport=line, headers=headers, timeout=60
    )


def refusal(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_who_logs_in_at_the_proxy_needs_no_key(address: str) -> None:
    with through(address, "anna") as anna:
        told = anna.get("").json()
        answer = anna.post("/ask", json={"question": QUESTION})

    assert (told["auth"], told["name"], told["has_access"]) == ("sign_on", "anna@example.org", True)
    assert answer.json()["answer"] == "Edda Thorn"


def test_threads_belong_to_who_asks(address: str) -> None:
    with through(address, "anna") as anna:
        thread = anna.post("/ask", json={"question": QUESTION, "thread": "new"}).json()["thread"]
        listed = [one["id"] for one in anna.get("/threads").json()["threads"]]
    with through(address, "ben") as ben:
        others = ben.get("/threads").json()["threads"]
        read = ben.get(f"/threads/{thread}")

    assert thread in listed
    assert others == []
    assert refusal(read) == (404, "unknown_name")


def test_a_person_may_have_rights_of_their_own(address: str) -> None:
    with through(address, "ben") as ben:
        assert ben.get("").json()["bases"] == []
        assert refusal(ben.get("/bases/ships/documents")) == (404, "unknown_name")


def test_the_proxy_overwrites_a_forged_name(address: str) -> None:
    with through(address, "ben", **{HEADER: "anna@example.org"}) as ben:
        assert ben.get("").json()["name"] == "ben@example.org"


def test_a_name_from_anybody_but_the_proxy_is_refused(server: WebServer) -> None:
    forged = {HEADER: "anna@example.org", "X-Forwarded-For": PROXY}
    for client in (server.client(**forged), server.client("robot", **forged)):
        assert refusal(client.get("")) == (403, "forged_identity")
        assert refusal(client.get("threads")) == (403, "forged_identity")
        assert refusal(client.post("ask", json={"question": QUESTION})) == (403, "forged_identity")
    models = httpx.get(f"{server.url}/v1/models", headers=forged)
    assert models.status_code == 403
    assert models.json()["error"]["message"].startswith("the header X-Forwarded-User is taken")


def test_without_a_name_and_a_key_nothing_is_told(server: WebServer) -> None:
    assert refusal(server.client().get("threads")) == (401, "no_key")
    with from_proxy(server) as unnamed:
        assert refusal(unnamed.get("/threads")) == (401, "no_key")
        assert unnamed.get("").json()["has_access"] is False


def test_keys_are_still_taken_from_programs(server: WebServer) -> None:
    assert server.client("robot").get("").json()["name"] == "robot"


def test_figures_of_the_server_are_not_for_people(server: WebServer) -> None:
    with from_proxy(server, **{HEADER: "anna@example.org"}) as anna:
        assert refusal(anna.get(f"{server.url}/metrics")) == (403, "not_allowed")


def test_the_audit_log_names_the_person(server: WebServer, address: str) -> None:
    with through(address, "anna") as anna:
        anna.get("/threads")

    log = server.data / "audit.jsonl"
    wait_for(lambda: log.exists() and '"user:anna@example.org"' in log.read_text(), log.read_text)


def test_the_page_shows_what_the_person_may_see(address: str) -> None:
    login = ("anna@example.org", "pass")
    with real_browser() as browser, visiting(browser, address, login=login) as visit:
        visit.ask(QUESTION)
        visit.page.locator(".drawing svg").wait_for()


def test_a_signed_token_names_who_asks(ships: Path, tmp_path: Path) -> None:
    issuer = Issuer()
    keys = issuer.write_key_set(tmp_path / "keys.json")
    choices = {**CHOICES, "token": {"keys": keys, "audience": AUDIENCE, "claim": "email"}}
    settings = hashing_settings(sign_on=SignOn.model_validate(choices))
    with web_server(tmp_path, {"ships": ships}, settings=settings) as server:
        signed = issuer.token(email="anna@example.org")
        with from_proxy(server, **{HEADER: signed}) as anna:
            assert anna.get("").json()["name"] == "anna@example.org"
        with from_proxy(server, **{HEADER: Issuer().token(email="a@example.org")}) as other:
            assert refusal(other.get("/threads")) == (401, "bad_identity")
        with from_proxy(server, **{HEADER: "anna@example.org"}) as plain:
            assert refusal(plain.get("/threads")) == (401, "bad_identity")
