"""100 chats at once on `hoptrail web`: two bases, two keys, with and without a model, then a kill.

Of the kill it tells whether the threads are whole after the restart, and what became of the uploads
that had been taken. Times depend on what else the machine does, processor seconds hardly.

Both bases are asked the same questions and have different answers, so that an answer from the
wrong base shows. It prints one JSON object; nothing is written but a temporary folder.

    python benchmarks/web_load.py [--seconds 60] [--chats 100] [--uploads 50]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from hoptrail import Hoptrail
from hoptrail.core.types import Document
from hoptrail.testing import OpenAIStubServer
from hoptrail.web.new_key import make_key

BASES = ("left", "right")
PRESETS = ("offline", "reasoning")
ADJECTIVES = ("Amber", "Grey", "Silver", "Scarlet", "Golden", "Ivory", "Copper", "Crimson")
BIRDS = ("Finch", "Petrel", "Heron", "Plover", "Curlew", "Osprey", "Merlin", "Kestrel")
FIRST = {"left": ("Edda", "Ida", "Ada", "Runa"), "right": ("Oren", "Tobin", "Hale", "Jonas")}
LAST = {"left": ("Thorn", "Rook", "Marsh", "Vale"), "right": ("Pascoe", "Crane", "Field", "Holm")}
TOWNS = {"left": ("Brackenholm", "Selwick"), "right": ("Norhaven", "Dorrin")}
YARDS = (
    *("Alder", "Marl", "Birch", "Rowan", "Hazel", "Cedar", "Linden", "Aspen"),
    *("Willow", "Maple", "Juniper", "Laurel", "Myrtle", "Sorrel", "Tansy", "Yarrow"),
)
FOLLOW_UP = "Where was she born?"


@dataclass(frozen=True)
class Case:
    """A ship of one base: the question about it and what that base answers."""

    ship: str
    yard: str
    founder: str
    town: str

    @property
    def question(self) -> str:
        """The question, the same for every base."""
        return f"Who founded the yard that built the {self.ship}?"


@dataclass
class Measured:
    """Times, problems and turns of the chats."""

    seconds: list[float] = field(default_factory=list)
    first_seconds: list[float] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)
    answered: dict[str, list[str]] = field(default_factory=dict)  # questions by thread

    def to_json(self) -> dict[str, Any]:
        """Return the figures."""
        cuts = statistics.quantiles(self.seconds, n=20) if len(self.seconds) > 1 else [0.0] * 19
        return {
            "answers": len(self.seconds),
            "problems": dict(self.problems),
            "seconds_p50": round(statistics.median(self.seconds or [0.0]), 3),
            "seconds_p95": round(cuts[18], 3),
            "first_event_p50": round(statistics.median(self.first_seconds or [0.0]), 3),
        }


def cases_of(base: str) -> list[Case]:
    """Return the ships of a base; both have the same ones, of other founders."""
    names = [f"{adjective} {bird}" for adjective in ADJECTIVES for bird in BIRDS]
    people = [f"{first} {last}" for first in FIRST[base] for last in LAST[base]]
    towns = TOWNS[base]
    return [
        Case(
            ship,
            f"{YARDS[number % len(YARDS)]} Yard",
            people[number % len(people)],
            towns[number % len(towns)],
        )
        for number, ship in enumerate(names)
    ]


def documents_of(base: str) -> list[Document]:
    """Return the texts behind the cases."""
    texts = {}
    for case in cases_of(base):
        texts[case.ship] = (
            f"The {case.ship} was a steamer that was built at the {case.yard} in 1871."
        )
        texts[case.yard] = f"The {case.yard} was founded by {case.founder}."
        texts[case.founder] = f"{case.founder} was an engineer, born in {case.town} in 1809."
    return [Document(f"{base}/{title}", title, text, base) for title, text in texts.items()]


def reply(body: dict[str, Any]) -> str:
    """Answer a prompt from its passages, as a model that reads them would."""
    prompt = "\n".join(str(message.get("content") or "") for message in body["messages"])
    asked = re.findall(r"yard that built the ([A-Z]\w+ [A-Z]\w+)\?", prompt)
    if not asked:
        return "FINAL ANSWER: I don't know"
    ship = asked[-1]
    yard = re.search(rf"The {ship} was a steamer that was built at the ([A-Z][\w ]+? Yard)", prompt)
    founder = yard and re.search(rf"The {yard[1]} was founded by ([A-Z]\w+ [A-Z]\w+)", prompt)
    if not yard or not founder:
        return "FINAL ANSWER: I don't know"
    return (
        f'QUERY:\n"{ship}" built at ?yard\n?yard founded by ?founder\n'
        f"TRACE:\n?yard = {yard[1]} | P1\n?founder = {founder[1]} | P2\n"
        f"HOPS:\nHOP 1: {ship} | built at | {yard[1]} | P1\n"
        f"HOP 2: {yard[1]} | founded by | {founder[1]} | P2\nFINAL ANSWER: {founder[1]}"
    )


class Refused(Exception):
    """A request that was answered by a status other than 200; it is the message."""


class Server:
    """`hoptrail web` as a process.

    Args:
        folder: Working directory with the settings and the bases.
        port: Port of 127.0.0.1; a free one if left out.
        **environment: Variables beside those of this process.
    """

    def __init__(self, folder: Path, port: int | None = None, **environment: str) -> None:
        if port is None:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        bases = [part for name in BASES for part in ("--kb", f"{name}={name}")]
        self.process = self._begin(["web", "--port", str(port), *bases], folder, environment)
        while not self._is_ready():
            time.sleep(0.2)

    @property
    def megabytes(self) -> float:
        """Memory that it holds at the moment."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return round(int(found[1]) / 1024, 1) if found else 0.0

    @property
    def processor_seconds(self) -> float:
        """Processor time that it has taken so far, without that of the process that writes."""
        status = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        fields = status.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, number: signal.Signals) -> None:
        """Send a signal and wait for the end."""
        self.process.send_signal(number)
        self.process.wait()

    def _begin(self, arguments: list[str], folder: Path, environment: dict[str, str]) -> Any:
        """Start the command, and return its process."""
        command = [sys.executable, "-c", "from hoptrail.cli import main; main()", *arguments]
        return subprocess.Popen(command, cwd=folder, env={**os.environ, **environment})

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError("the server did not start")
        try:
            return httpx.get(f"{self.url}/ready").status_code == 200
        except httpx.TransportError:
            return False


async def chat(
    client: httpx.AsyncClient, base: str, preset: str, number: int, until: float, seen: Measured
) -> None:
    """Ask a question and follow it up in threads of their own until the time is over."""
    cases = cases_of(base)
    while time.monotonic() < until:
        case = cases[number % len(cases)]
        number += 7
        thread = "new"
        for question, expected in (
            (case.question, case.founder),
            (FOLLOW_UP, None),
        ):
            body = {"question": question, "base": base, "preset": preset, "thread": thread}
            try:
                answer = await ask(client, body, seen)
            except httpx.TransportError:
                return  # the server was killed
            if answer is None:
                break
            thread = answer["thread"]
            seen.answered.setdefault(f"{base} {thread}", []).append(question)
            told = json.dumps(answer)
            other = next(name for name in BASES if name != base)
            if any(name in told for name in LAST[other]):
                seen.problems["of the other base"] += 1
            elif expected is not None and answer["answer"] != expected:
                seen.problems["another answer" if not answer["abstained"] else "abstained"] += 1


async def ask(
    client: httpx.AsyncClient, body: dict[str, Any], seen: Measured
) -> dict[str, Any] | None:
    """Return the last event of an answer, None where that is an error."""
    started = time.monotonic()
    name = ""
    try:
        async with aclosing(events(client, body)) as told:
            async for name, data in told:
                if name == "start":
                    seen.first_seconds.append(time.monotonic() - started)
                elif name == "answer":
                    seen.seconds.append(time.monotonic() - started)
                    return data
    except Refused as error:
        seen.problems[f"status {error}"] += 1
        return None
    seen.problems[f"ended with {name}"] += 1
    return None


async def events(
    client: httpx.AsyncClient, body: dict[str, Any]
) -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
    """Yield name and data of the events of a question.

    Raises:
        Refused: If there are none.
    """
    name = ""
    headers = {"Accept": "text/event-stream"}
    async with client.stream("POST", "/api/v1/ask", json=body, headers=headers) as response:
        if response.status_code != 200:
            raise Refused(response.status_code)
        async for line in response.aiter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))


async def chats(
    server: Server,
    keys: dict[str, str],
    number: int,
    seconds: float,
    seen: Measured,
    uploads: int = 0,
) -> Counter[str]:
    """Hold so many chats at once, and upload so many files meanwhile; return their states."""
    clients = {base: client_of(server.url, keys[base]) for base in BASES}
    until = time.monotonic() + seconds
    work = [
        chat(clients[BASES[i % 2]], BASES[i % 2], PRESETS[i // 2 % 2], i, until, seen)
        for i in range(number)
    ]
    uploading = asyncio.create_task(upload(clients["left"], uploads))
    await asyncio.gather(*work)
    states = await finished(clients["left"], await uploading)
    for client in clients.values():
        await client.aclose()
    return states


async def upload(client: httpx.AsyncClient, number: int) -> list[str]:
    """Upload files, and return their jobs."""
    jobs = []
    for i in range(number):
        place = {"name": f"mill-{i}.txt"}
        text = f"The Mill {i} of Varde was founded by Ann Lee in {1800 + i}."
        sent = await client.post("/api/v1/bases/left/documents", params=place, content=text)
        jobs.append(sent.json().get("id", ""))
    return jobs


async def finished(client: httpx.AsyncClient, jobs: list[str]) -> Counter[str]:
    """Wait for jobs, and return how many came to which end."""
    states: Counter[str] = Counter()
    for job in jobs:
        state = "queued"
        while state in ("queued", "running"):
            await asyncio.sleep(0.5)
            state = await job_state(client, job)
        states[state] += 1
    return states


async def job_state(client: httpx.AsyncClient, job: str) -> str:
    """Return what became of an upload so far."""
    told = (await client.get(f"/api/v1/jobs/{job}")).json()
    return str(told.get("state", "lost"))


def check_threads(server: Server, keys: dict[str, str], seen: Measured) -> Counter[str]:
    """Compare the stored threads with the answers that clients got before the kill."""
    found: Counter[str] = Counter()
    for place, questions in seen.answered.items():
        base, thread = place.split()
        headers = {"Authorization": f"Bearer {keys[base]}"}
        address = f"{server.url}/api/v1/threads/{thread}"
        stored = httpx.get(address, headers=headers, timeout=None).json()
        turns = [turn["question"] for turn in stored.get("turns", [])]
        # A turn may be stored whose last event was still on its way.
        is_whole = turns[: len(questions)] == questions and len(turns) <= len(questions) + 1
        found["whole" if is_whole else "torn"] += 1
    return found


def prepare(folder: Path, url: str) -> dict[str, str]:
    """Index the bases and write the settings; return the keys by base."""
    keys = {base: make_key(base) for base in BASES}
    lines = [f'model = "openai:stub"\nbase_url = "{url}"\napi_key = "none"']
    for base, (_, digest) in keys.items():
        with Hoptrail.open(folder / base, create=True) as hoptrail:
            hoptrail.index(documents_of(base), extractor="nlp")
        lines.append(f'[keys.{base}]\nsha256 = "{digest}"\nbases = ["{base}"]\nwrites = true')
    (folder / "hoptrail.toml").write_text("\n".join(lines), encoding="utf-8")
    return {base: key for base, (key, _) in keys.items()}


def main() -> None:
    """Measure, and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--chats", type=int, default=100)
    parser.add_argument("--uploads", type=int, default=50)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, OpenAIStubServer(reply) as stub:
        folder = Path(name)
        keys = prepare(folder, stub.url)
        server = Server(folder)
        report: dict[str, Any] = {"megabytes_before": server.megabytes}
        began = server.processor_seconds
        seen = Measured()
        asyncio.run(chats(server, keys, given.chats, given.seconds, seen))
        taken = (server.processor_seconds - began) / max(1, len(seen.seconds))
        report |= {"chats": given.chats, **seen.to_json(), "megabytes_after": server.megabytes}
        report["processor_seconds_an_answer"] = round(taken, 4)
        seen = Measured()
        jobs = asyncio.run(
            chats(server, keys, given.chats // 2, given.seconds / 2, seen, given.uploads)
        )
        report["with_uploads"] = {**seen.to_json(), "jobs": dict(jobs)}
        report["megabytes_at_end"] = server.megabytes

        killed, uploaded, states = asyncio.run(
            _chats_until_killed(server, keys, given.chats, given.uploads)
        )
        server = Server(folder)
        report["kill"] = {
            "answers_before": len(killed.seconds),
            "threads": dict(check_threads(server, keys, killed)),
            "jobs_before": dict(states),
            "jobs": dict(asyncio.run(_finished_after(server, keys, uploaded))),
        }
        server.end(signal.SIGTERM)
    print(json.dumps(report, indent=2))


async def _chats_until_killed(
    server: Server, keys: dict[str, str], number: int, uploads: int
) -> tuple[Measured, list[str], Counter[str]]:
    """Hold chats and upload until the server is killed amid the uploads.

    Returns:
        What came of the chats, the jobs, and how many of these were in which state then.
    """
    seen = Measured()
    holding = asyncio.create_task(chats(server, keys, number, math.inf, seen))
    async with client_of(server.url, keys["left"]) as client:
        jobs = await upload(client, uploads)
        await finished(client, jobs[:1])  # the others are waiting or being written
        before = Counter([await job_state(client, job) for job in jobs])
        await asyncio.to_thread(server.end, signal.SIGKILL)
    await holding
    return seen, jobs, before


async def _finished_after(server: Server, keys: dict[str, str], jobs: list[str]) -> Counter[str]:
    async with client_of(server.url, keys["left"]) as client:
        return await finished(client, jobs)


def client_of(url: str, key: str) -> httpx.AsyncClient:
    """Return a client of the holder of a key, who waits as long as it takes."""
    return httpx.AsyncClient(
        base_url=url,
        headers={"Authorization": f"Bearer {key}"},
        timeout=None,
        limits=httpx.Limits(max_connections=None),
    )


if __name__ == "__main__":
    main()
