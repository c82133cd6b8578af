"""A base of the settings that a server answers for: Python, command line, web application."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import StoreError
from hoptrail.core.settings import ServedBase, Settings
from hoptrail.core.types import Document, JsonDict
from hoptrail.models.embedder import register_embedder
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.testing import HashingEmbedder
from tests.conftest import ROOT
from tests.ships import QUESTION, hashing_settings, ship_documents
from tests.typed import run_shown
from tests.web_server import web_server

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

pytestmark = pytest.mark.slow

T = TypeVar("T")
MILL = Document("t/Mill", "Mill", "The Oak Mill was founded by Ann Lee.", "t")
NOBODY = "bolt://127.0.0.1:1"


@pytest.fixture
def settings(tmp_path: Path, url: str, name: str) -> Iterator[Settings]:
    base = {"records": tmp_path / "kb", "graph": url}
    yield hashing_settings(knowledge_bases={name: base})
    store = Neo4jStore.open(url, name)
    store.remove()
    store.close()


@pytest.fixture
def ships(settings: Settings, name: str) -> Iterator[Hoptrail]:
    """The base about ships, indexed, which published it."""
    with Hoptrail.open(name, create=True, settings=settings) as hoptrail:
        hoptrail.index(ship_documents(), extractor="nlp")
        yield hoptrail


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Statements that were read on the server."""
    found: list[str] = []
    reading = Connection.reading

    def noted(self: Connection, work: Callable[[ManagedTransaction], T]) -> T:
        found.append(self.address.uri)
        return reading(self, work)

    monkeypatch.setattr(Connection, "reading", noted)
    return found


def in_step(hoptrail: Hoptrail) -> bool:
    (store,) = hoptrail.stores()
    return store.in_step


def test_indexing_publishes_and_questions_are_answered_from_the_server(
    ships: Hoptrail, url: str, asked: list[str]
) -> None:
    assert [(one.store, one.in_step) for one in ships.stores()] == [(url, True)]
    asked.clear()
    answer = ships.ask(QUESTION)
    assert answer.text == "Edda Thorn"
    assert [hop.doc_id for hop in answer.trail.hops] == ["t/Morning Tern", "t/Alder Yard"]
    assert asked


def test_every_change_is_published_by_the_call_that_makes_it(
    ships: Hoptrail, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/heron.txt").write_text("The Grey Heron was built by the Birch Yard.")
    wider = HashingEmbedder(96)
    register_embedder(wider.name, wider)
    changes: dict[str, Callable[[], Any]] = {
        "index": lambda: ships.index([MILL], extractor="nlp"),
        "sync": lambda: ships.sync(tmp_path / "notes", extractor="nlp"),
        "delete": lambda: ships.delete(["t/Mill"]),
        "communities": lambda: ships.communities(),
        "reembed": lambda: ships.reembed(wider),
    }
    for change, make in changes.items():
        before = ships.stores()[0].generation
        report = make()
        assert in_step(ships), change
        assert ships.stores()[0].generation != before, change
        assert [one["error"] for one in report["stores"]] == [None], change
    assert ships.ask("Who built the Grey Heron?").text == "Birch Yard"


def test_a_change_while_the_server_is_away_is_kept_and_told_and_published_later(
    ships: Hoptrail, settings: Settings, name: str, tmp_path: Path
) -> None:
    away = hashing_settings(knowledge_bases={name: {"records": tmp_path / "kb", "graph": NOBODY}})
    with Hoptrail.open(name, settings=away) as hoptrail:
        (told,) = hoptrail.index([MILL], extractor="nlp")["stores"]
        assert NOBODY in told["error"]
        assert f"hoptrail publish --kb {name}" in told["error"]
        with pytest.raises(StoreError, match=NOBODY):
            hoptrail.ask(QUESTION)
    assert not in_step(ships)
    assert ships.publish()["stores"][0]["in_step"]
    assert ships.ask("Who founded the Oak Mill?").text == "Ann Lee"


def test_a_base_of_version_0_1_0_is_brought_to_the_new_format_and_published(
    settings: Settings, name: str, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "tests/data/version_0_1_0/kb", tmp_path / "kb")
    with Hoptrail.open(name, settings=settings) as hoptrail:
        assert hoptrail.publish()["stores"][0]["in_step"]
        assert hoptrail.ask(QUESTION).text == "Edda Thorn"


def test_a_filter_is_answered_from_the_folder(ships: Hoptrail, asked: list[str]) -> None:
    assert (
        ships.ask("Who founded the Alder Yard?", filter="title = Alder Yard").text == "Edda Thorn"
    )
    assert ships.ask(QUESTION, filter="title = Alder Yard").abstained


def test_tools_read_from_the_server(ships: Hoptrail, asked: list[str]) -> None:
    tools = {tool.name: tool for tool in ships.tools()}
    asked.clear()
    assert "Edda Thorn" in tools["search"].invoke({"query": "Who founded the Alder Yard?"})
    assert "Alder Yard" in tools["explore"].invoke({"entity": "Edda Thorn"})
    assert asked


def test_a_conversation_goes_on_over_a_change(ships: Hoptrail) -> None:
    first = ships.ask("Who founded the Alder Yard?", thread_id="x")
    ships.index([MILL], extractor="nlp")
    second = ships.ask("Where was she born?", thread_id="x")
    assert (first.text, second.text) == ("Edda Thorn", "Brackenholm")


def test_the_command_line_works_on_the_name(
    ships: Hoptrail, url: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    listed = f'[knowledge_bases.{name}]\nrecords = "kb"\ngraph = "{url}"\n'
    (tmp_path / "hoptrail.toml").write_text(f'embedder = "hashing"\n{listed}')
    row: JsonDict = {"id": "1", "question": QUESTION, "answer": "Edda Thorn"}
    row |= {"supporting_ids": ["t/Morning Tern", "t/Alder Yard"]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row))
    assert run("ask", QUESTION, "--kb", name)["answer"] == "Edda Thorn"
    found = run("retrieve", QUESTION, "--kb", name, "--retriever", "ppr")
    assert found["passages"][0]["doc_id"].startswith("t/")
    assert run("delete", "t/Edda Thorn", "--kb", name)["stores"][0]["in_step"]
    assert run("info", "--kb", name)["stores"][0]["in_step"]
    assert run("publish", "--kb", name)["stores"][0]["written"] == 0
    where = ("--kb", name, "--questions", "questions.jsonl")
    scored = run("eval", *where, "--retriever", "vector", "--out", "runs/vector")
    assert (scored["n_failed"], scored["recall@10"]) == (0, 1.0)
    answered = run("eval", *where, "--preset", "offline", "--out", "runs/offline")
    assert answered["accuracy"] == 1.0
    health = run("doctor")["knowledge_bases"][name]
    assert health["stores"][0]["ok"]


def test_the_web_application_answers_from_the_server_or_names_it(
    ships: Hoptrail, settings: Settings, name: str, tmp_path: Path, asked: list[str]
) -> None:
    base = settings.knowledge_bases[name]
    away = ServedBase(records=base.records, graph=NOBODY)
    with web_server(tmp_path / "web", {name: base, "away": away}, settings=settings) as server:
        asked.clear()
        answer = server.client().post("ask", json={"question": QUESTION, "base": name}).json()
        refused = server.client().post("ask", json={"question": QUESTION, "base": "away"})
    assert answer["answer"] == "Edda Thorn"
    assert asked
    assert refused.status_code == 503
    assert NOBODY in refused.json()["error"]["message"]


def run(*arguments: str) -> dict[str, Any]:
    """Run the command in this process, which knows the hashing embedder; return its JSON."""
    return run_shown(*arguments, "--json").json
