"""Readers in other processes while a publisher is at work."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from tests.integration.stores.neo4j import asking
from tests.servers.bases import TownBase

_GENERATIONS = 5
_QUESTIONS = 100  # of each of two processes


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
    assert len({years[0] for years in answers}) > 1


def _tell(towns: TownBase, year: int) -> None:
    for number in range(6):
        towns.say(number, f"Town {number} has a mill that was built in the year {year}. It runs.")
    towns.publish()
