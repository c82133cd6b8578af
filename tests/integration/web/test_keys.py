"""Keys and limits on a real server: who sees what, how often, for how much."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hoptrail.core.settings import Price
from hoptrail.core.types import JsonDict
from hoptrail.testing import Fault, OpenAIStubServer
from hoptrail.web.new_key import make_key
from tests.ships import QUESTION, REPLY, hashing_settings, index_ships
from tests.waiting import wait_for
from tests.web_server import WebServer, read_events, web_server

pytestmark = pytest.mark.slow

KEYS: dict[str, JsonDict] = {
    "all": {"writes": True},
    "first": {"bases": ["ships"]},
    "second": {"bases": ["other"], "presets": ["offline"]},
    "narrow": {"bases": ["ships"], "filter": "title = Edda Thorn or title = Alder Yard"},
    "twin": {"bases": ["ships"], "filter": "title = Edda Thorn or title = Alder Yard"},
    "other-part": {"bases": ["ships"], "filter": "title = Morning Tern"},
    "slow": {"requests_per_minute": 2},
}


@pytest.fixture(scope="module")
def keyed(ships: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    other = tmp_path_factory.mktemp("other")
    index_ships(other, hashing_settings())
    bases = {"ships": ships, "other": other}
    with web_server(tmp_path_factory.mktemp("web"), bases, keys=KEYS) as running:
        yield running


def refusal(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_without_a_key_or_with_a_wrong_one_nothing_is_told(keyed: WebServer) -> None:
    nobody, wrong = keyed.client(), keyed.client(Authorization="Bearer hoptrail-wrong")

    assert refusal(nobody.post("ask", json={"question": QUESTION})) == (401, "no_key")
    assert refusal(wrong.get("threads")) == (401, "wrong_key")
    for client in (nobody, wrong):
        told = client.get("").json()
        assert (told["auth"], told["has_access"]) == ("key", False)
        assert (told["bases"], told["presets"], told["model"]) == ([], [], None)
    assert httpx.get(f"{keyed.url}/metrics").status_code == 401


def test_a_key_sees_its_bases_and_presets_alone(keyed: WebServer) -> None:
    second = keyed.client("second")

    told = second.get("").json()
    assert [base["name"] for base in told["bases"]] == ["other"]
    assert [preset["name"] for preset in told["presets"]] == ["offline"]
    for body in ({"base": "ships"}, {"preset": "reasoning"}):
        asked = second.post("ask", json={"question": QUESTION, **body})
        assert refusal(asked) == (404, "unknown_name")
    assert refusal(second.get("bases/ships/documents")) == (404, "unknown_name")


def test_threads_of_another_key_do_not_exist(keyed: WebServer) -> None:
    first, everything = keyed.client("first"), keyed.client("all")
    thread = first.post("ask", json={"question": QUESTION, "thread": "new"}).json()["thread"]

    for response in (
        everything.get(f"threads/{thread}"),
        everything.delete(f"threads/{thread}"),
        everything.patch(f"threads/{thread}", json={"title": "mine"}),
        everything.post("ask", json={"question": "Where was she born?", "thread": thread}),
    ):
        assert refusal(response) == (404, "unknown_name")
    assert everything.get("threads").json()["threads"] == []
    assert len(first.get("threads").json()["threads"]) == 1


def test_a_shared_thread_is_read_by_whoever_sees_its_documents(keyed: WebServer) -> None:
    first, everything = keyed.client("first"), keyed.client("all")
    thread = first.post("ask", json={"question": QUESTION, "thread": "new"}).json()["thread"]
    link = first.post(f"threads/{thread}/share", json={}).json()["share"]

    shown = everything.get(f"shared/{link['token']}").json()
    assert [turn["answer"]["answer"] for turn in shown["turns"]] == ["Edda Thorn"]
    assert "feedback" not in shown["turns"][0] and "thread" not in shown
    # A key of another base, and one that sees a part of the documents.
    for name in ("second", "narrow"):
        hidden = keyed.client(name).get(f"shared/{link['token']}")
        assert refusal(hidden) == (404, "unknown_name")
        assert "ships" not in hidden.text
    assert refusal(keyed.client().get(f"shared/{link['token']}")) == (401, "no_key")
    # It is read and nothing else, and its owner alone makes and ends it.
    for change in (
        everything.post(f"threads/{thread}/share", json={}),
        everything.get(f"threads/{thread}/share"),
        everything.delete(f"threads/{thread}/share"),
        everything.post("ask", json={"question": QUESTION, "thread": thread}),
    ):
        assert refusal(change) == (404, "unknown_name")


def test_a_thread_of_a_filtered_key_is_shared_with_those_of_the_same_and_of_no_filter(
    keyed: WebServer,
) -> None:
    narrow = keyed.client("narrow")
    thread = narrow.post("ask", json={"question": QUESTION, "thread": "new"}).json()["thread"]
    token = narrow.post(f"threads/{thread}/share", json={}).json()["share"]["token"]

    seen = {
        name: keyed.client(name).get(f"shared/{token}").status_code
        for name in ("twin", "all", "other-part")
    }
    assert seen == {"twin": 200, "all": 200, "other-part": 404}


def test_a_link_ends_when_it_is_made_anew_or_ended_or_its_thread_is_deleted(
    keyed: WebServer,
) -> None:
    first = keyed.client("first")

    def make(thread: str) -> str:
        return str(first.post(f"threads/{thread}/share", json={}).json()["share"]["token"])

    def status(token: str) -> int:
        return first.get(f"shared/{token}").status_code

    thread = first.post("threads", json={"title": "mine"}).json()["id"]
    assert first.get(f"threads/{thread}/share").json() == {"share": None}
    old, new = make(thread), make(thread)
    assert (status(old), status(new)) == (404, 200)
    assert first.get(f"threads/{thread}/share").json()["share"]["token"] == new
    first.delete(f"threads/{thread}/share")
    assert status(new) == 404
    last = make(thread)
    first.delete(f"threads/{thread}")
    assert status(last) == 404


@pytest.mark.parametrize("wanted", [None, "title = Morning Tern", "title like *", "not title = x"])
def test_no_request_widens_the_filter_of_its_key(keyed: WebServer, wanted: str | None) -> None:
    narrow = keyed.client("narrow")

    answer = narrow.post("ask", json={"question": QUESTION, "filter": wanted})

    assert "Morning Tern" not in {
        hop["doc_id"].removeprefix("t/") for hop in answer.json().get("trail", [])
    }
    assert "steamer" not in answer.text


def test_what_a_filter_hides_is_nowhere_to_be_browsed(keyed: WebServer) -> None:
    narrow = keyed.client("narrow")

    assert narrow.get("bases/ships/documents").json()["total"] == 2
    hidden = narrow.get("bases/ships/document", params={"id": "t/Morning Tern"})
    assert refusal(hidden) == (404, "unknown_name")
    assert narrow.get("bases/ships/entities", params={"q": "tern"}).json()["entities"] == []
    seen = narrow.get("bases/ships/entities", params={"q": "alder"}).json()["entities"][0]
    entity = narrow.get("bases/ships/entity", params={"id": seen["id"]}).json()
    assert {passage["doc_id"] for passage in entity["passages"]} == {"t/Alder Yard"}
    around = narrow.get("bases/ships/neighbourhood", params={"id": seen["id"]}).json()
    assert "Edda Thorn" in {node["name"] for node in around["nodes"]}
    assert "Morning Tern" not in {node["name"] for node in around["nodes"]}
    tern = keyed.client("all").get("bases/ships/entities", params={"q": "tern"}).json()
    hidden = narrow.get("bases/ships/neighbourhood", params={"id": tern["entities"][0]["id"]})
    assert refusal(hidden) == (404, "unknown_name")
    overview = narrow.get("").json()["bases"][0]
    assert (overview["documents"], overview["entities"], overview["description"]) == (2, None, "")


def test_metrics_are_for_keys_without_restrictions(keyed: WebServer) -> None:
    place = f"{keyed.url}/metrics"

    assert keyed.client("all").get(place).status_code == 200
    assert refusal(keyed.client("first").get(place)) == (403, "not_allowed")


def test_a_key_without_the_right_cannot_change_documents(keyed: WebServer) -> None:
    for name in ("first", "narrow"):
        client = keyed.client(name)
        upload = client.post("bases/ships/documents", params={"name": "a.txt"}, content=b"text")
        assert refusal(upload) == (403, "not_allowed")
        delete = client.delete("bases/ships/document", params={"id": "t/Edda Thorn"})
        assert refusal(delete) == (403, "not_allowed")


def test_a_key_asks_no_more_often_than_it_may(keyed: WebServer) -> None:
    slow = keyed.client("slow")
    for _ in range(2):
        assert slow.post("ask", json={"question": QUESTION}).status_code == 200

    third = slow.post("ask", json={"question": QUESTION})

    assert refusal(third) == (429, "too_many_requests")
    assert 0 < int(third.headers["retry-after"]) <= 60


def test_a_key_spends_no_more_than_it_may_and_a_restart_forgets_nothing(
    ships: Path, tmp_path: Path
) -> None:
    keys: dict[str, JsonDict] = {"poor": {"usd_per_day": 0.001}}
    with OpenAIStubServer(REPLY) as stub:
        settings = hashing_settings(
            model="openai:stub",
            base_url=stub.url,
            prices={"openai:stub": Price(prompt=100.0, completion=100.0)},
        )
        for expected in (200, 429):
            with web_server(
                tmp_path,
                {"ships": ships},
                keys=keys,
                settings=settings,
                context={"preset": "reasoning"},
            ) as server:
                poor = server.client("poor")
                answer = poor.post("ask", json={"question": QUESTION})
                assert answer.status_code == expected
                if expected == 200:
                    assert answer.json()["usage"]["usd"] > 0.001
                    answer = poor.post("ask", json={"question": QUESTION})
                assert refusal(answer) == (429, "spent")


def test_a_question_that_is_stopped_is_paid_for(ships: Path, tmp_path: Path) -> None:
    with OpenAIStubServer(Fault(text=REPLY, delay=5)) as stub:
        settings = hashing_settings(
            model="openai:stub",
            base_url=stub.url,
            prices={"openai:stub": Price(prompt=100.0, completion=100.0)},
        )
        keys: dict[str, JsonDict] = {"poor": {"usd_per_day": 0.001}}
        asks_it: dict[str, Any] = {"settings": settings, "context": {"preset": "reasoning"}}
        with web_server(tmp_path, {"ships": ships}, keys=keys, **asks_it) as server:
            poor = server.client("poor")
            stream = {"Accept": "text/event-stream"}
            with poor.stream("POST", "ask", json={"question": QUESTION}, headers=stream) as got:
                events = read_events(got)
                run = next(events)[1]["run"]
                wait_for(lambda: stub.requests, "the model was not asked")
                poor.post(f"runs/{run}/stop")
                assert [name for name, _ in events][-1] == "stopped"

            assert refusal(poor.post("ask", json={"question": QUESTION})) == (429, "spent")


def test_keys_are_rotated_without_a_restart(
    ships: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "hoptrail.toml"
    file.write_text("")
    new, digest = make_key("new")
    with web_server(tmp_path, {"ships": ships}, keys={"old": {}}) as server:
        old, fresh = server.client("old"), server.client(Authorization=f"Bearer {new}")
        assert (old.get("threads").status_code, fresh.get("threads").status_code) == (200, 401)

        file.write_text(f'[keys.new]\nsha256 = "{digest}"\n')
        os.utime(file, ns=(1, 1))
        wait_for(lambda: fresh.get("threads").is_success, "the new key is not taken")

        assert old.get("threads").status_code == 401

        file.write_text("keys = 3")
        time.sleep(1.2)
        assert fresh.get("threads").status_code == 200, "a broken file changes nothing"

        file.write_text("")
        time.sleep(1.2)
        assert fresh.get("threads").status_code == 401
        assert server.client().get("threads").status_code == 401, "no key is no open door"
