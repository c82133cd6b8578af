"""Indexing by many processes: whoever is killed, the base is that of one process in the end."""

from __future__ import annotations

import json
import os
import random
import signal
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.stub_server import OpenAIStubServer
from tests.commands import Command
from tests.commands import run as run_command
from tests.sharded import exported
from tests.waiting import PATIENCE, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds processes in /proc"),
]
TOWNS = ("Alba", "Brod", "Cork", "Dorn", "Elva", "Faro", "Gera", "Hull", "Imst", "Jena")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = random.Random(5)
    rows = []
    for number in range(240):
        here, there = chance.sample(TOWNS, 2)
        text = (
            f"Person P{number} was born in {here} in {1700 + number}. He moved to {there} and met "
            f"Person P{chance.randrange(240)} there. The Society of {there} honoured him."
        )
        rows.append({"id": str(number), "title": f"Person P{number}", "text": text})
    path = tmp_path_factory.mktemp("corpus") / "people.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def expected(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("one") / "kb"
    status, _ = finished(start(corpus, folder))
    assert status == 0
    return export_of(folder)


@dataclass(frozen=True)
class IndexRun:
    """A running `hoptrail index`, and the file that takes what it prints."""

    process: Command
    printed: Path

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)


def start(corpus: Path, kb: Path, *arguments: str) -> IndexRun:
    printed = kb.with_name(f"printed-{uuid.uuid4().hex}.json")
    command = ("index", str(corpus), "--kb", str(kb), "--json", "--extractor", "nlp", *arguments)
    with printed.open("wb") as out:
        process = Command(*command, stdout=out, variables={"OMP_NUM_THREADS": "1"})
    return IndexRun(process, printed)


def finished(run: IndexRun) -> tuple[int, dict[str, Any]]:
    status = run.process.wait(PATIENCE)
    told = run.printed.read_text(encoding="utf-8")
    return status, json.loads(told) if told else {}


def export_of(folder: Path) -> str:
    with KnowledgeBase.open(folder) as kb:
        return exported(kb)


def children(pid: int) -> Iterator[int]:
    """Yield the processes that a process has started, and theirs."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        started = [int(one) for task in tasks for one in (task / "children").read_text().split()]
    except OSError:
        return
    for one in started:
        yield one
        yield from children(one)


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def begin(corpus: Path, kb: Path, *arguments: str) -> IndexRun:
    """Start a run, and wait until its first shard is being indexed."""
    driver = start(corpus, kb, *arguments)
    wait_for(lambda: list((kb / "shards").glob("*/shard.json")), "no shard was begun")
    return driver


def workers_of(driver: IndexRun, name: str) -> list[int]:
    return [pid for pid in children(driver.process.pid) if name in name_of(pid)]


def test_a_worker_that_is_killed_is_replaced(corpus: Path, expected: str, tmp_path: Path) -> None:
    driver = begin(corpus, tmp_path / "kb", "--workers", "2")
    os.kill(workers_of(driver, "spawn_main")[0], signal.SIGKILL)
    status, report = finished(driver)
    assert status == 0
    assert any("was ended (signal 9)" in note for note in report["notes"])
    assert export_of(tmp_path / "kb") == expected
    assert not (tmp_path / "kb" / "shards").exists()


def test_a_killed_run_leaves_no_process_and_is_continued(
    corpus: Path, expected: str, tmp_path: Path
) -> None:
    driver = begin(corpus, tmp_path / "kb", "--workers", "2")
    workers = workers_of(driver, "spawn_main")
    driver.kill()
    wait_for(lambda: not any(map(is_running, workers)), "workers outlived their driver")
    assert finished(start(corpus, tmp_path / "kb", "--workers", "2"))[0] == 0
    assert export_of(tmp_path / "kb") == expected


def test_a_killed_shard_is_continued_by_the_same_command(
    corpus: Path, expected: str, tmp_path: Path
) -> None:
    into = tmp_path / "shards"

    def shard(number: int) -> IndexRun:
        place = ("--shard", f"{number}/2", "--into", str(into))
        return start(corpus, tmp_path / "kb", *place)

    killed = shard(1)
    wait_for((into / "shard-1-of-2" / "shard.json").exists, "the shard was not begun")
    killed.kill()
    for number in (1, 2):
        status, state = finished(shard(number))
        assert (status, state["stage"]) == (0, "done")
    merged = run_command("merge", into, "--kb", tmp_path / "kb")
    assert merged.code == 0, merged.err
    assert export_of(tmp_path / "kb") == expected


def test_ray_goes_on_when_a_worker_and_then_the_driver_is_killed(
    corpus: Path, expected: str, tmp_path: Path
) -> None:
    pytest.importorskip("ray", reason="the extra ray is not installed")
    driver = begin(corpus, tmp_path / "kb", "--ray", "local")
    os.kill(workers_of(driver, "ray::hoptrail shard")[0], signal.SIGKILL)
    wait_for(lambda: workers_of(driver, "ray::hoptrail shard"), "no other worker took the shard")
    driver.kill()
    status, report = finished(start(corpus, tmp_path / "kb", "--ray", "local"))
    assert (status, report["documents"]["added"]) == (0, 240)
    assert export_of(tmp_path / "kb") == expected


@pytest.mark.parametrize("crew", ["--workers 2", "--ray local"])
def test_workers_share_one_limit_of_dollars_and_pay_for_nothing_twice(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crew: str
) -> None:
    if "ray" in crew:
        pytest.importorskip("ray", reason="the extra ray is not installed")
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(corpus.read_text(encoding="utf-8").splitlines()[:30]))
    limit = 0.004  # of some 400 tokens a call, a dollar for a million: for some of the 24
    with OpenAIStubServer({"entities": [], "relations": []}) as server:
        monkeypatch.setenv("HOPTRAIL_MODEL", "openai:stub")
        monkeypatch.setenv("HOPTRAIL_BASE_URL", server.url)
        monkeypatch.setenv("HOPTRAIL_API_KEY", "none")
        monkeypatch.setenv("HOPTRAIL_EMBEDDER", "openai:stub-embedder")
        monkeypatch.setenv("HOPTRAIL_EMBEDDER_BASE_URL", server.url)
        monkeypatch.setenv("HOPTRAIL_EMBEDDER_API_KEY", "none")
        prices = {"openai:stub": {"prompt": 1, "completion": 1}, "openai:stub-embedder": {}}
        monkeypatch.setenv("HOPTRAIL_PRICES", json.dumps(prices))
        arguments = (*crew.split(), "--extractor", "llm")
        status, told = finished(start(few, tmp_path / "kb", *arguments, "--max-usd", str(limit)))
        assert (status, told["error"]["code"], told["resumable"]) == (1, "max_usd", True)
        with KnowledgeBase.open(tmp_path / "kb") as kb:  # usable: rules have read the rest
            assert kb.counts()["chunks"] == 30
            spent = sum(row.usd for row in kb.ledger())
        assert 0 < spent <= limit
        assert "the limit of $0.0040" in told["error"]["message"]
        assert 0 < len(server.requests) < 24
        status, _ = finished(start(few, tmp_path / "kb", *arguments, "--max-usd", "1"))
        assert status == 0
        assert len(server.requests) == 24  # of the central passages, each once
