"""Feedback and saved answers on a real server: who gives, sees, reviews and deletes what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hoptrail.core.types import JsonDict
from tests.ships import QUESTION, hashing_settings, index_ships
from tests.web_server import WebServer, web_server

pytestmark = pytest.mark.slow

KEYS: dict[str, JsonDict] = {
    "owner": {"reviews": True, "writes": True},
    "ana": {},
    "ben": {},
    "narrow": {"filter": "title = Edda Thorn", "reviews": True},
}
RIGHT = "Edda Thorn <script>alert(1)</script>"


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[WebServer]:
    index_ships(tmp_path / "ships", hashing_settings())
    with web_server(tmp_path, {"ships": tmp_path / "ships"}, keys=KEYS) as running:
        yield running


def ask(client: httpx.Client, **more: Any) -> JsonDict:
    answered: JsonDict = client.post("ask", json={"question": QUESTION, **more}).json()
    return answered


def give(client: httpx.Client, answer: JsonDict, **said: Any) -> httpx.Response:
    sent = {"answer": answer, "thread": answer["thread"], **said}
    return client.post("bases/ships/feedback", json=sent)


def save(client: httpx.Client, answer: JsonDict, **said: Any) -> httpx.Response:
    sent = {"answer": answer, "thread": answer["thread"], **said}
    return client.post("bases/ships/saved", json=sent)


def test_feedback_stands_with_the_turn_that_it_is_on(keyed: WebServer) -> None:
    ana = keyed.client("ana")
    answer = ask(ana, thread="new")

    assert give(ana, answer, verdict="bad").status_code == 201
    given = give(ana, answer, verdict="bad", correction=RIGHT, comment="see page 3").json()

    [turn] = ana.get(f"threads/{answer['thread']}").json()["turns"]
    assert turn["feedback"] == given
    assert (given["correction"], given["comment"]) == (RIGHT, "see page 3")


def test_the_owner_alone_sees_what_all_said(keyed: WebServer) -> None:
    ana, owner = keyed.client("ana"), keyed.client("owner")
    give(ana, ask(ana, thread="new"), correction=RIGHT)

    told = owner.get("bases/ships/feedback").json()

    assert told["counts"] == {"good": 0, "bad": 1, "none": 0}
    [entry] = told["feedback"]
    assert (entry["reader"], entry["question"], entry["correction"]) == ("ana", QUESTION, RIGHT)
    assert len(entry["answer"]["trail"]) == 2
    [line] = owner.get("bases/ships/feedback/export").text.splitlines()
    assert json.loads(line) == entry
    for name in ("ana", "narrow"):
        client = keyed.client(name)
        assert client.get("").json()["reviews"] is False
        for path in ("feedback", "feedback/export"):
            assert client.get(f"bases/ships/{path}").status_code == 403


def test_a_reader_takes_back_own_feedback_and_the_owner_anybodys(keyed: WebServer) -> None:
    ana, ben, owner = (keyed.client(name) for name in ("ana", "ben", "owner"))
    first = give(ana, ask(ana, thread="new"), verdict="good").json()["id"]
    second = give(ben, ask(ben, thread="new"), verdict="good").json()["id"]

    assert ben.delete(f"bases/ships/feedback/{first}").status_code == 404
    assert ben.delete(f"bases/ships/feedback/{second}").status_code == 204
    assert owner.delete(f"bases/ships/feedback/{first}").status_code == 204
    assert owner.get("bases/ships/feedback").json()["feedback"] == []


def test_what_was_not_said_in_a_thread_is_not_taken(keyed: WebServer) -> None:
    ana, ben = keyed.client("ana"), keyed.client("ben")
    answer = ask(ana, thread="new")

    assert give(ana, {**answer, "answer": "made up"}, verdict="good").status_code == 404
    assert give(ben, answer, verdict="good").status_code == 404
    assert give(ana, {"thread": None, "answer": "x"}, verdict="good").status_code == 422
    assert give(ana, answer).status_code == 422
    assert give(ana, answer, comment="x" * 10_001).status_code == 422


def test_an_answer_that_was_kept_nowhere_is_judged_as_it_was_sent(keyed: WebServer) -> None:
    ana = keyed.client("ana")

    assert give(ana, ask(ana), verdict="good").status_code == 201


def test_a_reader_saves_for_oneself_and_the_owner_for_all(keyed: WebServer) -> None:
    ana, ben, owner = (keyed.client(name) for name in ("ana", "ben", "owner"))
    answer = ask(ana, thread="new")

    assert save(ana, answer, text=RIGHT, shared=True).status_code == 403
    assert save(ana, answer, text=RIGHT).status_code == 201
    again = ask(ana)
    assert (again["answer"], again["saved"]["by"], again["saved"]["stands"]) == (RIGHT, "ana", True)
    assert ask(ana, saved=False)["answer"] == "Edda Thorn"
    assert ask(ben)["saved"] is None

    save(owner, ask(owner, thread="new"), text="for all", shared=True)
    assert (ask(ben)["answer"], ask(ana)["answer"]) == ("for all", RIGHT)
    assert [one["by"] for one in owner.get("bases/ships/saved").json()["saved"]] == ["owner", "ana"]
    [own] = ana.get("bases/ships/saved").json()["saved"]
    assert ben.delete(f"bases/ships/saved/{own['id']}").status_code == 404
    assert ana.delete(f"bases/ships/saved/{own['id']}").status_code == 204
    assert ask(ana)["answer"] == "for all"


def test_a_key_with_a_filter_is_not_given_what_rests_on_hidden_documents(keyed: WebServer) -> None:
    narrow, owner = keyed.client("narrow"), keyed.client("owner")
    answer = ask(owner)
    save(owner, answer, text=RIGHT, shared=True)

    assert ask(narrow)["saved"] is None
    assert save(narrow, answer, text="mine").status_code == 422
    assert narrow.get("bases/ships/saved").json()["saved"] == []
    assert save(narrow, answer, text="mine", shared=True).status_code == 403
