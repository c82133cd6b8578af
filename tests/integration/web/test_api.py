"""The JSON API on a real server: questions, threads, documents, entities."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from hoptrail.core.types import Answer
from hoptrail.testing import Fault, OpenAIStubServer
from tests.ships import FACTS, QUESTION, REPLY, hashing_settings
from tests.waiting import wait_for
from tests.web_server import WebServer, read_events, web_server

pytestmark = pytest.mark.slow

STREAM = {"Accept": "text/event-stream"}


def reply_after(event: threading.Event) -> Callable[[Any], str]:
    """Return a model that answers when the event is set."""

    def script(body: Any) -> str:
        event.wait(60)
        return REPLY

    return script


def error_of(response: httpx.Response) -> tuple[int, str]:
    """Return status and code of a refusal, after checking its shape."""
    error = response.json()["error"]
    assert set(error) == {"code", "message", "hint"}
    assert error["message"] and "\n" not in error["message"]
    return response.status_code, error["code"]


def test_the_overview_names_bases_and_presets(server: WebServer) -> None:
    told = server.client().get("").json()

    assert [base["name"] for base in told["bases"]] == ["ships"]
    assert told["bases"][0]["documents"] == len(FACTS)
    assert "offline" in {preset["name"] for preset in told["presets"]}
    assert (told["auth"], told["has_access"], told["default_base"]) == ("none", True, "ships")


def test_the_fields_of_a_filter_are_told_with_values(server: WebServer) -> None:
    fields = server.client().get("bases/ships/fields").json()["fields"]

    assert fields["title"] == {"documents": len(FACTS), "values": sorted(FACTS)}
    assert "uri" not in fields


def test_an_answer_comes_whole_with_its_trail(server: WebServer) -> None:
    answer = server.client().post("ask", json={"question": QUESTION}).json()

    assert answer["answer"] == "Edda Thorn"
    assert [hop["doc_id"] for hop in answer["trail"]] == ["t/Morning Tern", "t/Alder Yard"]
    assert answer["thread"] is None


def test_a_streamed_answer_tells_its_steps_and_its_thread(server: WebServer) -> None:
    client = server.client()
    body = {"question": QUESTION, "thread": "new"}
    with client.stream("POST", "ask", json=body, headers=STREAM) as response:
        events = list(read_events(response))

    names = [name for name, _ in events]
    assert (names[0], names[-1]) == ("start", "answer")
    assert names.count("hop") == 2
    tokens = "".join(data["text"] for name, data in events if name == "token")
    assert tokens == events[-1][1]["answer"] == "Edda Thorn"
    thread = client.get(f"threads/{events[0][1]['thread']}").json()
    assert [turn["question"] for turn in thread["turns"]] == [QUESTION]


def test_a_follow_up_in_a_thread_leans_on_what_was_said(server: WebServer) -> None:
    client = server.client()
    first = client.post("ask", json={"question": QUESTION, "thread": "new"}).json()

    follow_up = {"question": "Where was she born?", "thread": first["thread"]}
    second = client.post("ask", json=follow_up).json()

    assert second["answer"] == "Brackenholm"
    turns = client.get(f"threads/{first['thread']}").json()["turns"]
    shown = [Answer.from_contract(turn["answer"]).text for turn in turns]
    assert shown == ["Edda Thorn", "Brackenholm"]
    assert turns[0]["asked"] < turns[1]["asked"]


def test_threads_are_listed_renamed_exported_and_deleted(server: WebServer) -> None:
    client = server.client()
    made = client.post("ask", json={"question": QUESTION, "thread": "new"}).json()["thread"]
    place = f"threads/{made}"

    assert client.get("threads").json()["threads"][0]["title"] == QUESTION
    assert client.patch(place, json={"title": "the yard"}).json()["title"] == "the yard"
    text = client.get(f"{place}/export").text
    assert text.startswith("# the yard") and FACTS["Morning Tern"] in text
    exported = client.get(f"{place}/export", params={"format": "json"}).json()
    assert exported["turns"][0]["answer"]["answer"] == "Edda Thorn"
    # As a form sends what nobody filled in.
    assert client.get(f"{place}/export", params={"format": ""}).text.startswith("# the yard")
    assert client.delete(place).status_code == 204
    assert error_of(client.get(place)) == (404, "unknown_name")


def test_a_thousand_threads_are_listed_by_pages(server: WebServer) -> None:
    client = server.client()
    for number in range(1000):
        client.post("threads", json={"title": f"thread {number}"})

    seen: list[str] = []
    more = True
    while more:
        page = client.get("threads", params=httpx.QueryParams(limit=300, offset=len(seen))).json()
        seen += [thread["title"] for thread in page["threads"]]
        more = page["more"]

    made = [title for title in seen if title.startswith("thread ")]
    assert sorted(made) == sorted(f"thread {number}" for number in range(1000))


def test_a_document_is_shown_with_the_characters_of_a_quote(server: WebServer) -> None:
    client = server.client()
    hop = client.post("ask", json={"question": QUESTION}).json()["trail"][1]

    query = {"id": hop["doc_id"], "start": hop["start"], "end": hop["end"]}
    document = client.get("bases/ships/document", params=query).json()

    mark = document["highlight"]
    assert document["text"][mark["start"] : mark["end"]] == hop["quote"]


def test_a_long_document_is_shown_around_its_highlight(server: WebServer) -> None:
    text = FACTS["Alder Yard"]
    start = text.index("Port Selwick")
    query = httpx.QueryParams(id="t/Alder Yard", start=start, end=start + 12, length=20)

    document = server.client().get("bases/ships/document", params=query).json()

    assert document["total"] == len(text)
    begin = document["offset"]
    assert document["text"] == text[begin : begin + 20]
    assert "Port Selwick" in document["text"]


def test_an_entity_is_found_by_a_part_of_its_name_and_shown_with_its_relations(
    server: WebServer,
) -> None:
    client = server.client()

    found = client.get("bases/ships/entities", params={"q": "alder"}).json()["entities"]
    entity = client.get("bases/ships/entity", params={"id": found[0]["id"]}).json()

    assert entity["name"] == "Alder Yard"
    facts = {(one["subject"], one["object"]) for one in entity["relations"]}
    assert ("Alder Yard", "Edda Thorn") in facts
    assert {passage["doc_id"] for passage in entity["passages"]} >= {"t/Alder Yard"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("bases/nope/documents", (404, "unknown_name")),
        ("bases/ships/document?id=nope", (404, "unknown_name")),
        ("bases/ships/document?id=t/Alder+Yard&start=5&end=9999", (422, "bad_input")),
        ("bases/ships/entity?id=nope", (404, "unknown_name")),
        ("bases/ships/entities?limit=0", (422, "bad_input")),
        ("bases/ships/neighbourhood?id=nope", (404, "unknown_name")),
        ("bases/ships/neighbourhood?id=nope&nodes=201", (422, "bad_input")),
        ("threads/nope", (404, "unknown_name")),
        ("jobs/nope", (404, "not_found")),
        ("nope", (404, "not_found")),
    ],
)
def test_what_is_not_there_is_told_in_one_shape(
    server: WebServer, path: str, expected: tuple[int, str]
) -> None:
    assert error_of(server.client().get(path)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"question":', (400, "bad_request")),
        (b"[" * 100_000, (400, "bad_request")),
        (b"[1]", (422, "bad_input")),
        (b"{}", (422, "bad_input")),
        (b'{"question": "   "}', (422, "bad_input")),
        (b'{"question": "Who is \\ud800?"}', (422, "bad_input")),
        (json.dumps({"question": "x" * 5000}).encode(), (422, "bad_input")),
        (b'{"question": "Who?", "nope": 1}', (422, "bad_input")),
        (b'{"question": "Who?", "preset": "nope"}', (404, "unknown_name")),
        (b'{"question": "Who?", "base": "nope"}', (404, "unknown_name")),
        (b'{"question": "Who?", "thread": "nope"}', (404, "unknown_name")),
        (b'{"question": "Who?", "filter": "title ="}', (422, "bad_setting")),
        (b'{"question": "Who?", "thread": ""}', (404, "unknown_name")),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(
    server: WebServer, body: bytes, expected: tuple[int, str]
) -> None:
    client = server.client(**{"Content-Type": "application/json"})

    assert error_of(client.post("ask", content=body)) == expected


def test_a_filter_that_allows_nothing_is_told_as_an_event(server: WebServer) -> None:
    body = {"question": QUESTION, "filter": "title = Nobody"}
    with server.client().stream("POST", "ask", json=body, headers=STREAM) as response:
        events = list(read_events(response))

    assert events[-1][0] == "error"
    assert events[-1][1]["error"]["code"] == "bad_input"


def test_a_body_without_end_is_cut_off_and_the_server_lives_on(server: WebServer) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(64):
            yield b" " * 1024 * 1024

    client = server.client(**{"Content-Type": "application/json"})
    try:
        assert error_of(client.post("ask", content=endless())) == (413, "too_large")
    except httpx.WriteError:
        pass  # the connection was closed while the body was still being sent

    assert server.client().post("ask", json={"question": QUESTION}).json()["answer"]


def test_pages_of_other_origins_and_other_hosts_are_refused(server: WebServer) -> None:
    client = server.client()

    assert error_of(client.get("", headers={"Origin": "http://evil.example"})) == (
        403,
        "not_allowed",
    )
    assert error_of(client.get("", headers={"Host": "evil.example"})) == (400, "bad_host")
    form = client.post("ask", content="question=x", headers={"Content-Type": "text/plain"})
    assert error_of(form) == (415, "content_type")


def test_every_response_has_strict_headers(server: WebServer) -> None:
    for path in ("/", "/health", "/api/v1/nope", "/api/v1"):
        headers = httpx.get(f"{server.url}{path}").headers
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_the_page_is_not_sent_again_where_it_has_not_changed(server: WebServer) -> None:
    first = httpx.get(f"{server.url}/")

    again = httpx.get(f"{server.url}/", headers={"If-None-Match": first.headers["etag"]})

    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


def test_a_client_that_goes_away_stops_its_question(server: WebServer) -> None:
    address = urlsplit(server.url)
    body = json.dumps({"question": QUESTION, "thread": "new"})
    head = (
        "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    )
    with socket.create_connection((address.hostname or "", address.port or 0)) as connection:
        connection.sendall(head.encode())
        connection.recv(2000)  # the first event
    wait_for(lambda: metric(server, "hoptrail_web_answering") == 0, "it is still answered")

    assert metric(server, 'outcome="stopped"') == 1
    thread = server.client().get("threads", params={"limit": 1}).json()["threads"][0]
    assert server.client().get(f"threads/{thread['id']}").json()["turns"] == []


def test_a_question_is_stopped_by_its_run(ships: Path, tmp_path: Path) -> None:
    with OpenAIStubServer(Fault(text="FINAL ANSWER: Ida Rook", delay=3)) as slow:
        settings = hashing_settings(model="openai:stub", base_url=slow.url)
        asks_it: dict[str, Any] = {"settings": settings, "context": {"preset": "reasoning"}}
        with web_server(tmp_path, {"ships": ships}, **asks_it) as server:
            client = server.client()
            question = {"question": QUESTION}
            with client.stream("POST", "ask", json=question, headers=STREAM) as response:
                events = read_events(response)
                run = next(events)[1]["run"]
                assert server.client().post(f"runs/{run}/stop").status_code == 204
                assert [name for name, _ in events][-1] == "stopped"

            assert error_of(client.post(f"runs/{run}/stop")) == (404, "not_found")


def test_what_is_done_to_a_thread_while_it_answers_stays_done(ships: Path, tmp_path: Path) -> None:
    may_answer = threading.Event()
    with OpenAIStubServer(reply_after(may_answer)) as waiting:
        settings = hashing_settings(model="openai:stub", base_url=waiting.url)
        asks_it: dict[str, Any] = {"settings": settings, "context": {"preset": "reasoning"}}
        with web_server(tmp_path, {"ships": ships}, **asks_it) as server:
            client, ended = server.client(), []
            for change in ("renamed", "deleted"):
                question = {"question": QUESTION, "thread": "new"}
                with client.stream("POST", "ask", json=question, headers=STREAM) as response:
                    events = read_events(response)
                    thread = next(events)[1]["thread"]
                    if change == "renamed":
                        client.patch(f"threads/{thread}", json={"title": "Yards"})
                        may_answer.set()
                    else:
                        may_answer.clear()
                        client.delete(f"threads/{thread}")
                    ended.append([name for name, _ in events][-1])

            assert ended == ["answer", "stopped"]
            assert [one["title"] for one in client.get("threads").json()["threads"]] == ["Yards"]


def test_a_question_that_is_not_taken_leaves_no_thread(ships: Path, tmp_path: Path) -> None:
    may_answer = threading.Event()
    with OpenAIStubServer(reply_after(may_answer)) as waiting:
        settings = hashing_settings(model="openai:stub", base_url=waiting.url)
        options: dict[str, Any] = {"at_once": 1, "waiting": 0, "context": {"preset": "reasoning"}}
        with web_server(tmp_path, {"ships": ships}, settings=settings, **options) as server:
            client = server.client()
            question = {"question": QUESTION, "thread": "new"}
            with client.stream("POST", "ask", json=question, headers=STREAM) as response:
                events = read_events(response)
                first = next(events)[1]["thread"]
                assert error_of(client.post("ask", json=question)) == (503, "overloaded")
                threads = client.get("threads").json()["threads"]
                may_answer.set()

            assert [one["id"] for one in threads] == [first]


def test_the_audit_log_holds_no_text(server: WebServer) -> None:
    server.client().post("ask", json={"question": "Who built the Ghost Ship?"})

    log = server.data / "audit.jsonl"
    wait_for(lambda: '"route": "/api/v1/ask"' in log.read_text(), "the question is not in it")
    text = log.read_text()
    assert "Ghost" not in text and "Edda" not in text
    line = json.loads(text.splitlines()[-1])
    assert {"time", "key", "method", "route", "status", "seconds"} <= set(line)


def test_the_description_names_every_path(server: WebServer) -> None:
    paths = description(server)["paths"]

    assert {"/api/v1/ask", "/api/v1/threads/{thread_id}", "/v1/chat/completions"} <= set(paths)


def test_the_description_tells_errors_and_keys_and_what_is_no_json(server: WebServer) -> None:
    told = description(server)
    paths = told["paths"]
    assert told["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
    for path, operations in paths.items():
        needs_key = path.startswith(("/api/", "/v1/"))
        for operation in operations.values():
            assert ("security" in operation) is needs_key
            assert ("default" in operation["responses"]) is needs_key
            assert "422" not in operation["responses"]
    openai = paths["/v1/chat/completions"]["post"]["responses"]
    assert openai["default"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/OpenAIErrorBody"
    }
    assert set(openai["200"]["content"]) == {"application/json", "text/event-stream"}
    assert set(paths["/metrics"]["get"]["responses"]["200"]["content"]) == {"text/plain"}


def description(server: WebServer) -> Any:
    return server.client().get("openapi.json").json()


def metric(server: WebServer, name: str) -> float:
    """Return a figure by a part of its line."""
    lines = httpx.get(f"{server.url}/metrics").text.splitlines()
    told = (line for line in lines if line[0] != "#" and "_created" not in line)
    return sum(float(line.rpartition(" ")[2]) for line in told if name in line)
