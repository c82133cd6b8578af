"""Readers in other processes while a publisher is at work."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillWaitingError
from pathlib import Path

import pytest

from hoptrail.retrievers.registry import make_retriever
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from tests.integration.stores.neo4j import asking
from tests.servers.bases import TownBase

_GENERATIONS = 5
_QUESTIONS = 100  # of each of two processes
_MARK = "CYPHER 5 MERGE (c:KnowledgeBaseCommit {kb: $kb}) SET c.since = timestamp() - $age"
_MARKS = "CYPHER 5 MATCH (c:KnowledgeBaseCommit {kb: $kb}) RETURN count(c) AS marks"
_UNMARK = "CYPHER 5 MATCH (c:KnowledgeBaseCommit {kb: $kb}) DELETE c"


def test_no_answer_mixes_two_generations(
    towns: TownBase, store: Neo4jStore, url: str, name: str, tmp_path: Path
) -> None:
    _tell(towns, 0)
    bring_in_step(towns.kb, store)
    stop = tmp_path / "stop"
    program = [sys.executable, asking.__file__, url, name, str(_QUESTIONS), str(stop)]
    readers = [subprocess.Popen(program, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        for reader in readers:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "ready\n"
        for year in range(1, _GENERATIONS + 1):
            _tell(towns, year)
            assert bring_in_step(towns.kb, store) is not None
        stop.touch()
        printed = [reader.communicate()[0] for reader in readers]
    finally:
        for reader in readers:
            reader.kill()
            reader.wait()
    answers = [json.loads(line) for lines in printed for line in lines.splitlines()]
    assert len(answers) >= 2 * _QUESTIONS
    assert [years for years in answers if len(years) != 1] == []
    assert {"0", str(_GENERATIONS)} <= {years[0] for years in answers}


def test_a_question_waits_while_a_change_is_committed(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    _tell(towns, 1)
    bring_in_step(towns.kb, store)
    retriever = make_retriever("vector", store.source(towns.embedder))
    _run(connection, _MARK, kb=name, age=0)
    with ThreadPoolExecutor(1) as beside:
        asked = beside.submit(retriever.retrieve, "Which mill was built?")
        with pytest.raises(StillWaitingError):
            asked.result(1.0)
        _run(connection, _UNMARK, kb=name)
        assert asking.marks(asked.result()) == ["1"]


def test_the_mark_of_a_publisher_that_was_killed_holds_nobody_up(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    _tell(towns, 1)
    bring_in_step(towns.kb, store)
    _run(connection, _MARK, kb=name, age=61_000)
    retriever = make_retriever("vector", store.source(towns.embedder))
    assert asking.marks(retriever.retrieve("Which mill was built?")) == ["1"]


def test_a_change_leaves_no_mark(
    towns: TownBase, store: Neo4jStore, connection: Connection, name: str
) -> None:
    bring_in_step(towns.kb, store)
    _run(connection, _MARK, kb=name, age=0)
    _tell(towns, 1)
    bring_in_step(towns.kb, store)
    assert connection.read(_MARKS, kb=name) == [{"marks": 0}]


def _run(connection: Connection, statement: str, **parameters: object) -> None:
    connection.writing(lambda transaction: transaction.run(statement, parameters).consume())


def _tell(towns: TownBase, year: int) -> None:
    for number in range(6):
        towns.say(number, f"Town {number} has a mill that was built in the year {year}. It runs.")
    towns.publish()
