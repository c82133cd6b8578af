import pytest
from starlette.datastructures import Headers

from hoptrail.cli.gate_rules import GateRules
from hoptrail.core.errors import SettingsError
from hoptrail.web.origin_rules import Refusal, read_host, read_origin

LOCAL = {"host": "127.0.0.1:2024"}
THREAD = "/threads/11111111-1111-1111-1111-111111111111"


def status(
    method: str, path: str, headers: dict[str, str], rules: GateRules | None = None
) -> int | None:
    """Return the status that a request is refused with, None where it passes."""
    try:
        (rules or GateRules()).check(method, path, Headers(headers))
    except Refusal as refusal:
        return refusal.status
    return None


@pytest.mark.parametrize("host", ["127.0.0.1:2024", "LOCALHOST:8080", "localhost", "[::1]:2024"])
def test_names_of_the_loopback_address_are_its_own(host: str) -> None:
    assert status("GET", "/info", {"host": host}) is None


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil@localhost", "10.0.0.5", "", "[::1"]
)
def test_any_other_host_is_refused(host: str) -> None:
    assert status("GET", "/info", {"host": host}) == 400


def test_two_hosts_and_none_are_refused() -> None:
    both = Headers(raw=[(b"host", b"localhost"), (b"host", b"localhost")])

    with pytest.raises(Refusal):
        GateRules().check("GET", "/info", both)
    assert status("GET", "/info", {}) == 400


def test_a_name_that_the_operator_gave_is_its_own() -> None:
    rules = GateRules(hosts=frozenset({"kb.example.org"}))

    assert status("GET", "/info", {"host": "KB.example.org:2024"}, rules) is None


def test_where_it_listens_everywhere_addresses_are_its_own_and_names_are_not() -> None:
    rules = GateRules(any_address=True)

    assert status("GET", "/info", {"host": "10.0.0.5:2024"}, rules) is None
    assert status("GET", "/info", {"host": "evil.example:2024"}, rules) == 400


def test_a_page_of_the_server_itself_passes_whatever_stands_before_it() -> None:
    rules = GateRules(hosts=frozenset({"kb.example.org"}))
    headers = {"host": "kb.example.org", "origin": "https://kb.example.org"}

    assert status("GET", "/info", headers, rules) is None


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("origin", ["http://127.0.0.1:3000", "https://smith.langchain.com", "null"])
def test_a_page_of_another_origin_may_neither_read_nor_write(method: str, origin: str) -> None:
    assert status(method, THREAD, {**LOCAL, "origin": origin}) == 403


def test_an_allowed_origin_may_do_both_and_ask_before() -> None:
    rules = GateRules(origins=frozenset({"https://example.org"}))
    headers = {**LOCAL, "origin": "https://example.org", "sec-fetch-site": "cross-site"}

    assert status("OPTIONS", THREAD, headers, rules) is None
    assert status("GET", THREAD, headers, rules) is None
    assert status("DELETE", THREAD, headers, rules) is None


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("destination", ["script", "image", "iframe"])
def test_other_pages_may_not_embed_answers(site: str, destination: str) -> None:
    headers = {**LOCAL, "sec-fetch-site": site, "sec-fetch-dest": destination}

    assert status("GET", "/info", headers) == 403


def test_a_link_on_another_page_may_be_followed() -> None:
    headers = {**LOCAL, "sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}

    assert status("GET", "/docs", headers) is None


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"content-type": "application/json", "content-length": "2"}, None),
        ({"content-type": "Application/JSON; charset=utf-8", "content-length": "2"}, None),
        ({"content-type": "text/plain; application/json", "content-length": "2"}, 415),
        ({"content-type": "application/x-www-form-urlencoded", "content-length": "2"}, 415),
        ({"transfer-encoding": "chunked"}, 415),
        ({"content-length": "0"}, None),
        ({}, None),
    ],
)
def test_a_body_must_be_json(headers: dict[str, str], expected: int | None) -> None:
    assert status("POST", "/threads", {**LOCAL, **headers}) == expected


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("HEAD", "/ok"),
        ("GET", "/assistants/hoptrail/schemas"),
        ("GET", "/assistants/hoptrail/subgraphs/explore"),
        ("POST", "/assistants/search"),
        ("POST", "/runs/stream"),
        ("POST", f"{THREAD}/runs/wait"),
        ("GET", f"{THREAD}/state"),
        ("PATCH", THREAD),
    ],
)
def test_what_clients_and_studio_need_is_served(method: str, path: str) -> None:
    assert status(method, path, LOCAL) is None


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/threadsx"),
        ("GET", "/metrics"),
        ("PUT", "/store/items"),
        ("POST", "/runs/crons"),
        ("POST", f"{THREAD}/runs/crons"),
        ("DELETE", "/assistants/hoptrail"),
        ("POST", "/assistants"),
        ("POST", "/deploy"),
        ("TRACE", "/ok"),
    ],
)
def test_the_rest_is_not(method: str, path: str) -> None:
    assert status(method, path, LOCAL) == 404


def test_a_path_cannot_write_to_the_operators_terminal() -> None:
    with pytest.raises(Refusal) as caught:
        GateRules().check("GET", "/\x1b[31mred", Headers(LOCAL))

    assert "\x1b" not in caught.value.reason


def test_rules_survive_their_text() -> None:
    rules = GateRules(frozenset({"a", "b"}), frozenset({"https://example.org"}), any_address=True)

    assert GateRules.from_json(rules.to_json()) == rules


def test_an_origin_is_written_as_browsers_do() -> None:
    assert read_origin("HTTPS://Example.org/") == "https://example.org"


@pytest.mark.parametrize("url", ["*", "example.org", "https://example.org/path", "https://*"])
def test_what_is_no_origin_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="no origin"):
        read_origin(url)


@pytest.mark.parametrize("name", ["KB.example.org", "10.0.0.5", "fd00::5"])
def test_a_name_or_an_address_is_a_host(name: str) -> None:
    assert read_host(name) == name.lower()


@pytest.mark.parametrize("name", ["kb.example.org:2024", "*", "https://kb.example.org", ""])
def test_what_is_no_name_of_a_host_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="no name"):
        read_host(name)
