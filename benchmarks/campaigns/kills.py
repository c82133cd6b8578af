"""SIGKILL at random moments: the same command ends well then, and the base is as if unkilled."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.campaigns.trials import (
    TOWNS,
    Command,
    Kind,
    hoptrail,
    kept_folder,
    load_heavy,
    state_of,
    succeed,
    write_people,
)
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.folder import holds_database
from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.stub_server import prompt_text

_CONCURRENCY = 8
_PATIENCE = 60.0
# Vectors of words are kept in bytes, and what came is added to them as they are kept: they may
# differ from those that were computed anew by some steps.
_WORD_STEP = 0.02
_SERVED = {"HOPTRAIL_EMBEDDER": "all-MiniLM-L6-v2"}  # which other processes know as well


@dataclass(frozen=True)
class Job:
    """A command that is killed. Each of its functions is given the folder in which it works.

    Attributes:
        prepare: Makes what the command needs.
        arguments: What follows `hoptrail`.
        read: Returns what has to be as after a run that was never killed.
        with_model: Whether it calls a model, which is a stub.
        variables: The environment beside this process's.
        done_before: The error of a run that finds its work done by one that was killed at its end.
    """

    prepare: Callable[[Path], object]
    arguments: Callable[[Path], list[str | Path]]
    read: Callable[[Path], Any] = lambda folder: state_of(folder / "kb")
    with_model: bool = False
    variables: Mapping[str, str] | None = None
    done_before: str = "error: never"


@dataclass(frozen=True)
class Prepared:
    """A job whose folder is ready to be copied, with the outcome of a run that was not killed."""

    work: Path
    pristine: Path
    wanted: Any
    seconds: float
    calls: int

    def renew(self) -> Path:
        """Return the working folder as it was before the first run, under the same path."""
        shutil.rmtree(self.work)
        shutil.copytree(self.pristine, self.work)
        return self.work


@cache
def stub() -> OpenAIStubServer:
    """Return the server of the model, which lasts as long as this process."""
    server = OpenAIStubServer(reply)
    server.__enter__()
    return server


def reply(body: dict[str, Any]) -> dict[str, Any]:
    """Reply to any of the prompts of indexing; the same prompt gets the same reply."""
    text = prompt_text(body)
    passage = re.search(r"<passage>\s*(Person P\d+) was born in (\w+)", text)
    if passage and "community" not in text:
        name, town = passage.groups()
        return {
            "entities": [{"name": name, "type": "person"}, {"name": town, "type": "place"}],
            "relations": [{"subject": name, "predicate": "born in", "object": town}],
        }
    number = int(hashlib.sha256(text.encode()).hexdigest()[:6], 16)
    finding = {"summary": f"Finding {number}", "explanation": "Persons met.", "references": [1]}
    report = {"title": f"Report {number}", "summary": "Persons and towns.", "rating": 5}
    return {**report, "findings": [finding], "same": [[1, 2]], "labels": []}


def _variables(job: Job) -> dict[str, str]:
    variables = dict(job.variables or {})
    if job.with_model:
        variables |= {
            "HOPTRAIL_MODEL": "openai:stub",
            "HOPTRAIL_BASE_URL": stub().url,
            "HOPTRAIL_API_KEY": "none",
        }
    return variables


@cache
def prepared(name: str) -> Prepared:
    """Return a job after its first run."""
    load_heavy()
    job, kept = JOBS[name], kept_folder()
    work, pristine = kept / "work", kept / "pristine"
    work.mkdir()
    job.prepare(work)
    shutil.copytree(work, pristine)
    calls, begun = stub().calls if job.with_model else 0, time.monotonic()
    succeed(*job.arguments(work), variables=_variables(job))
    seconds = time.monotonic() - begun
    calls = stub().calls - calls if job.with_model else 0
    return Prepared(work, pristine, job.read(work), seconds, calls)


def kill_command(name: str, seed: int) -> int:
    """Kill a command up to three times, and let it end; return how often it was running still."""
    job, ready, chance = JOBS[name], prepared(name), random.Random(seed)
    work, kills = ready.renew(), 0
    before = stub().calls if job.with_model else 0
    for _ in range(chance.choice((1, 1, 2, 3))):
        command = Command(*job.arguments(work), variables=_variables(job))
        time.sleep(chance.uniform(0, ready.seconds))
        command.kill(whole_group=chance.random() < 0.5)
        kills += command.wait().code < 0
        look_into(work)
    last = hoptrail(*job.arguments(work), variables=_variables(job))
    assert last.code == 0 or (last.is_plain_error and job.done_before in last.err), last
    assert_equal(job.read(work), ready.wanted)
    if job.with_model:
        made = stub().calls - before
        assert made <= ready.calls + kills * _CONCURRENCY, f"{made} calls for {ready.calls}"
    return kills


def _kill_named(name: str, seed: int, _folder: Path) -> int:
    return kill_command(name, seed)


def look_into(work: Path) -> None:
    """Open what a killed command left: it must be readable, and all that it names must be there."""
    if not holds_database(work / "kb"):
        return
    with KnowledgeBase.open(work / "kb") as kb, kb.pinned():
        kb.info(documents=True)
        index, store = kb.index, kb.store
        assert len(store.chunks(index.chunk_ids.tolist())) == len(index.chunk_ids)
        assert len(store.entities(index.entity_ids.tolist())) == len(index.entity_ids)
        assert len(store.relations(index.relation_ids.tolist())) == len(index.relation_ids)


def assert_equal(found: Any, wanted: Any) -> None:
    """Compare states, whose vectors may differ in their last digits."""
    if isinstance(wanted, tuple):
        assert found[0] == wanted[0], "the export differs"
        for kind, array in wanted[1].items():
            assert found[1][kind].shape == array.shape, kind
            apart = abs(found[1][kind] - array).max(initial=0)
            assert apart < (_WORD_STEP if kind == "word" else 1e-4), (
                f"vectors of kind {kind} differ by {apart}"
            )
    else:
        assert found == wanted


def _indexed(work: Path, size: int = 40, name: str = "kb") -> None:
    files = write_people(work / f"files-{name}", size, seed=len(name))
    succeed("index", files, "--kb", work / name, "--extractor", "nlp", "--source", name)


def _changed(work: Path) -> None:
    files = write_people(work / "files", 40)
    succeed("sync", files, "--kb", work / "kb", "--extractor", "nlp")
    for number in range(8):
        (files / f"Person P{number}.txt").unlink()
        (files / f"Person P{number + 8}.txt").write_text(f"Person P{number} left {TOWNS[number]}.")
        (files / f"Person Q{number}.txt").write_text(f"Person Q{number} met Person P{number + 20}.")


def _two_bases(work: Path) -> None:
    _indexed(work)
    _indexed(work, name="other")


def _alike(work: Path) -> None:
    files = work / "files"
    files.mkdir()
    for number in range(16):
        text = f"Person P{number} was born in {TOWNS[number % 10]}. Mr. Person P{number} left it."
        (files / f"{number}.txt").write_text(text)
    succeed("index", files, "--kb", work / "kb", "--extractor", "nlp")


def _reports(work: Path) -> Any:
    shown = succeed("communities", "--kb", work / "kb", "--show", "--json")
    return [json.loads(shown.out)["communities"], state_of(work / "kb")[0]]


def _backed_up(work: Path) -> None:
    _indexed(work)
    succeed("backup", work / "kb", work / "file.zip")


def _restored_state(work: Path) -> Any:
    shutil.rmtree(work / "copy", ignore_errors=True)
    succeed("restore", work / "file.zip", work / "copy")
    return state_of(work / "copy")


def _with_base(*arguments: str) -> Callable[[Path], list[str | Path]]:
    return lambda work: [*arguments, "--kb", work / "kb"]


def _over_files(*arguments: str) -> Callable[[Path], list[str | Path]]:
    return lambda work: [arguments[0], work / "files", *arguments[1:], "--kb", work / "kb"]


_GONE = [f"kb/Person P{number}.txt" for number in range(0, 40, 3)]
JOBS: dict[str, Job] = {
    "index": Job(
        lambda work: write_people(work / "files", 60), _over_files("index", "--extractor", "nlp")
    ),
    "index-model": Job(
        lambda work: write_people(work / "files", 24),
        _over_files("index", "--extractor", "llm", "--beta", "1.0", "--yes"),
        with_model=True,
    ),
    "sync": Job(_changed, _over_files("sync", "--extractor", "nlp")),
    "delete": Job(_indexed, _with_base("delete", *_GONE), done_before="unknown document"),
    "reembed": Job(_indexed, _with_base("reembed", "--embedder", "hashing-2")),
    "communities": Job(_indexed, _with_base("communities", "--extractive"), _reports),
    "communities-model": Job(
        _indexed, _with_base("communities", "--yes"), _reports, with_model=True
    ),
    "consolidate": Job(_alike, _with_base("consolidate", "--yes"), with_model=True),
    "merge": Job(_two_bases, lambda work: ["merge", work / "other", "--kb", work / "kb"]),
    "backup": Job(
        _indexed,
        lambda work: ["backup", work / "kb", work / "file.zip"],
        _restored_state,
        done_before="exists",
    ),
    "restore": Job(
        _backed_up,
        lambda work: ["restore", work / "file.zip", work / "copy"],
        lambda work: state_of(work / "copy"),
        done_before="holds a knowledge base",
    ),
    "workers": Job(
        lambda work: write_people(work / "files", 60),
        _over_files("index", "--extractor", "nlp", "--workers", "2"),
        variables=_SERVED,
    ),
}


def kill_server(seed: int, folder: Path) -> int:
    """Kill `hoptrail web` with uploads in its queue; after a new start, none of them is lost."""
    chance, files = random.Random(seed), write_people(folder / "files", 12, seed)
    upload = [(path.name, path.read_bytes()) for path in sorted(files.iterdir())]
    server = WebServer(folder)
    for name, content in upload:
        server.post(f"bases/kb/documents?name={urllib.parse.quote(name)}", content)
    time.sleep(chance.uniform(0, 8))
    server.command.kill(whole_group=chance.random() < 0.5)
    kills = server.command.wait().code < 0
    look_into(folder)
    server = WebServer(folder)
    server.wait_for_jobs(len(upload))
    server.command.kill()
    server.command.wait()
    with KnowledgeBase.open(folder / "kb") as kb:
        assert sorted(kb.content_hashes()) == ["first/first.txt"] + sorted(
            f"uploads/{name}" for name, _ in upload
        )
    look_into(folder)
    return int(kills)


class WebServer:
    """`hoptrail web` over the folders `kb` and `data` of a folder."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._url = f"http://127.0.0.1:{port}"
        data, base = folder / "data", f"kb={folder / 'kb'}"
        if not holds_database(folder / "kb"):
            (folder / "first.txt").write_text("Ida Rook founded the Marl Yard.", encoding="utf-8")
            index = ("index", folder / "first.txt", "--extractor", "nlp", "--source", "first")
            succeed(*index, "--kb", folder / "kb", variables=_SERVED)
        self.command = Command(
            *("web", "--port", str(port), "--kb", base, "--data", data),
            variables=_SERVED,
        )
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                urllib.request.urlopen(f"{self._url}/ready", timeout=10)
                return
            except (urllib.error.URLError, OSError):
                assert time.monotonic() < end, "the server did not start"
                time.sleep(0.1)

    def post(self, path: str, content: bytes) -> None:
        """Send a request that has to be taken."""
        request = urllib.request.Request(f"{self._url}/api/v1/{path}", content, method="POST")
        with urllib.request.urlopen(request, timeout=30) as response:
            assert response.status == 202

    def wait_for_jobs(self, count: int) -> None:
        """Wait until all jobs are done, each well."""
        end = time.monotonic() + _PATIENCE
        while True:
            with urllib.request.urlopen(
                f"{self._url}/api/v1/bases/kb/jobs?limit=100", timeout=30
            ) as response:
                jobs = json.load(response)["jobs"]
            if all(job["state"] in ("done", "failed") for job in jobs):
                assert len(jobs) == count and {job["state"] for job in jobs} == {"done"}, jobs
                return
            assert time.monotonic() < end, "the uploads were not done"
            time.sleep(0.2)


KINDS = [
    *(Kind(name, partial(_kill_named, name), limit=300) for name in JOBS),
    Kind("uploads", kill_server, limit=300),
]
