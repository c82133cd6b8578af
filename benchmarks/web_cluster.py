"""Many chats on several `hoptrail web` behind nginx, which are killed and restarted meanwhile.

The processes share two bases, a data folder and, for the threads, a PostgreSQL database; nginx is
set up as docs/deploy.md has it. Chats ask without a pause, most over streams, while documents are
uploaded and deleted. One process after the other is killed and started again; then each is told to
end, and started again when it has. A client whose question failed looks into its thread, and asks
again where the answer is not there. At the end all threads and documents are compared with what
clients were told.

It prints one JSON object; nothing is written but a temporary folder. PostgreSQL and nginx have to
be installed.

    python -m benchmarks.web_cluster [--chats 200] [--seconds 600] [--processes 3]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx

from benchmarks.web_load import (
    BASES,
    FOLLOW_UP,
    LAST,
    PRESETS,
    Case,
    Refused,
    Server,
    cases_of,
    client_of,
    events,
    prepare,
    reply,
)
from hoptrail.testing import OpenAIStubServer
from tests.commands import Command
from tests.nginx_server import block_of, nginx_server
from tests.postgres_server import postgres_server
from tests.servers.processes import free_port

GUIDE = Path(__file__).parents[1] / "docs" / "deploy.md"
TRIES = 60
"""How often a client asks again, a second apart, before it gives up."""

GRACE = "120"
"""Seconds that a process has to end what it has begun: longer than an answer of so many chats."""

_WITHOUT_STREAM = 4  # each so many-th chat asks for the whole answer at once
_DOWN_SECONDS = 2.0  # from a kill to the start
_POLL_SECONDS = 0.5
_DONE_BEFORE = "failed: it was deleted before"
_PAGE = 500

Phase = Literal["whole", "killed", "rolling"]


@dataclass
class Seen:
    """Events as clients saw them.

    Attributes:
        phase: What is done to the processes: nothing, one was killed and is not back, or they are
            restarted in turn.
        seconds: Of answers, by the phase in which they came, with all that was tried before.
        problems: By phase, request and reason.
        turns: The questions of each thread that were answered, by base and thread.
        documents: Texts of the uploaded documents that are there, by base and id.
    """

    phase: Phase = "whole"
    seconds: dict[str, list[float]] = field(default_factory=dict)
    problems: Counter[str] = field(default_factory=Counter)
    turns: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    documents: dict[tuple[str, str], str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def failed(self, request: str, reason: object) -> None:
        """Count a request that failed."""
        self.problems[f"{self.phase}: {request}: {reason}"] += 1

    def failures(self, phase: Phase) -> dict[str, int]:
        """Return the requests that failed in a phase."""
        return {name: n for name, n in self.problems.items() if name.startswith(f"{phase}: ")}

    def to_json(self) -> dict[str, Any]:
        """Return the figures."""
        times = {
            phase: {"answers": len(seconds), **_percentiles(seconds)}
            for phase, seconds in self.seconds.items()
        }
        return {
            "answers": sum(map(len, self.seconds.values())),
            "by_phase": times,
            "failed": dict(sorted(self.problems.items())),
            **self.counts,
        }


class ForkedServer(Server):
    """A server that has its modules from a process that loaded them before.

    To load them anew at each start would take the processor from the others.
    """

    def _begin(self, arguments: list[str], folder: Path, environment: dict[str, str]) -> Any:
        arguments = [*arguments, "--grace", GRACE]
        return Command(*arguments, folder=folder, stderr=sys.stderr.fileno(), variables=environment)


class Cluster:
    """The processes behind the proxy.

    Args:
        folder: Their working directory.
        number: How many there are.
        environment: Variables of them all.
    """

    def __init__(self, folder: Path, number: int, environment: dict[str, str]) -> None:
        self.ports = [free_port() for _ in range(number)]
        self._folder = folder
        self._environment = environment
        self.servers: dict[int, Server] = {}

    async def start(self, number: int) -> None:
        """Start a process, and wait until it takes questions."""
        port = self.ports[number]
        self.servers[number] = await asyncio.to_thread(
            ForkedServer, self._folder, port, **self._environment
        )

    async def end(self, number: int, how: signal.Signals) -> None:
        """End a process, and wait until it has."""
        await asyncio.to_thread(self.servers.pop(number).end, how)

    def end_all(self) -> None:
        """End all that run."""
        for server in self.servers.values():
            server.end(signal.SIGKILL)

    async def kill_in_turn(self, seen: Seen, seconds: float, every: float) -> None:
        """Kill one process after the other, each started again soon."""
        until = time.monotonic() + seconds
        number = 0
        while time.monotonic() + every <= until:
            await asyncio.sleep(every)
            seen.phase = "killed"
            await self.end(number, signal.SIGKILL)
            seen.counts["kills"] += 1
            await asyncio.sleep(_DOWN_SECONDS)
            await self.start(number)
            seen.phase = "whole"
            number = (number + 1) % len(self.ports)
        await asyncio.sleep(max(0.0, until - time.monotonic()))

    async def restart_in_turn(self, seen: Seen) -> None:
        """Restart one process after the other, as for a new version."""
        seen.phase = "rolling"
        for number in range(len(self.ports)):
            await self.end(number, signal.SIGTERM)
            await self.start(number)
            seen.counts["restarts"] += 1


class Asker:
    """A client of the API that does not give up where a request fails.

    Args:
        client: Asks as the holder of the base's key.
        base: Name of the base.
        seen: Takes what it sees.
    """

    def __init__(self, client: httpx.AsyncClient, base: str, seen: Seen) -> None:
        self._client = client
        self._base = base
        self._seen = seen

    async def chat(self, number: int, until: asyncio.Event) -> None:
        """Ask questions and follow them up, in a thread for each ship, until told to end."""
        cases = cases_of(self._base)
        streams = number % _WITHOUT_STREAM != 0
        preset = PRESETS[number // 2 % 2]
        while not until.is_set():
            case = cases[number % len(cases)]
            number += 7
            thread = "new"
            for question in (case.question, FOLLOW_UP):
                body = {"question": question, "preset": preset, "base": self._base}
                started = time.monotonic()
                thread, answer = await self._ask({**body, "thread": thread}, streams=streams)
                took = time.monotonic() - started
                if answer is None:
                    self._seen.counts["given up"] += 1
                    break
                self._seen.seconds.setdefault(self._seen.phase, []).append(took)
                self._seen.turns.setdefault((self._base, thread), []).append(question)
                self._judge(case, question, answer)

    async def churn(self, name: str, until: asyncio.Event) -> None:
        """Upload documents and delete each second one until told to end."""
        number = 0
        while not until.is_set():
            number += 1
            text = f"The Mill {name} {number} of Varde was founded by Ann Lee in {1700 + number}."
            document = f"uploads/mill-{name}-{number}.txt"
            place = {"name": document.removeprefix("uploads/")}
            address = f"/api/v1/bases/{self._base}/documents"
            job = await self._send("upload", "POST", address, params=place, content=text)
            state = await self._end_of(job)
            self._seen.counts[f"uploads {state}"] += 1
            if state != "done":
                continue
            self._seen.documents[self._base, document] = text
            await self._expect(document, 200)
            if number % 2 == 0:
                address = f"/api/v1/bases/{self._base}/document"
                job = await self._send("delete", "DELETE", address, params={"id": document})
                state = await self._end_of(job)
                self._seen.counts[f"deletions {state}"] += 1
                # Sent again when the answer to the first try was lost with its process.
                if state in ("done", _DONE_BEFORE):
                    del self._seen.documents[self._base, document]
                    await self._expect(document, 404)

    async def check_threads(self) -> None:
        """Compare what is stored with what was told, and count threads that nobody was told of."""
        known = {thread for base, thread in self._seen.turns if base == self._base}
        for thread in known:
            wanted = self._seen.turns[self._base, thread]
            turns = [turn["question"] for turn in await self._turns_of(thread)]
            if turns == wanted:
                found = "whole"
            elif len(turns) < len(wanted):
                found = "with lost turns"
            else:
                found = "with doubled turns"
            self._seen.counts[f"threads {found}"] += 1
        offset, more = 0, True
        while more:
            place = {"limit": str(_PAGE), "offset": str(offset)}
            page = await self._send("threads", "GET", "/api/v1/threads", params=place)
            more = page["more"]
            offset += _PAGE
            for one in page["threads"]:
                if one["id"] not in known:
                    turns = await self._turns_of(one["id"])
                    kind = "answered" if turns else "empty"
                    self._seen.counts[f"threads of no client, {kind}"] += 1

    async def check_documents(self) -> None:
        """Compare the uploaded documents that are there with those that should be."""
        wanted = {
            document: text
            for (base, document), text in self._seen.documents.items()
            if base == self._base
        }
        place = {"q": "uploads/", "limit": str(_PAGE)}
        address = f"/api/v1/bases/{self._base}/documents"
        listed = await self._send("documents", "GET", address, params=place)
        there = {one["doc_id"] for one in listed["documents"]}
        self._seen.counts["documents there"] += len(there & wanted.keys())
        self._seen.counts["documents lost"] += len(wanted.keys() - there)
        self._seen.counts["documents that should be gone"] += len(there - wanted.keys())

    async def _ask(
        self, body: dict[str, Any], *, streams: bool
    ) -> tuple[str, dict[str, Any] | None]:
        """Return the thread and the answer; None if all tries failed."""
        thread = body["thread"]
        kind = "stream" if streams else "ask"
        for _ in range(TRIES):
            name = "nothing"
            try:
                if not streams:
                    sent = await self._client.post("/api/v1/ask", json={**body, "thread": thread})
                    if sent.status_code == 200:
                        return sent.json()["thread"], sent.json()
                    raise Refused(f"{sent.status_code} {_code(sent)}")
                async with aclosing(events(self._client, {**body, "thread": thread})) as told:
                    async for name, data in told:
                        if name == "start":
                            thread = data["thread"]
                        elif name == "answer":
                            return thread, data
                        elif name == "error":
                            name = f"error {data['error']['code']}"
                self._seen.failed(kind, f"ended with {name}")
            except Refused as error:
                self._seen.failed(kind, error)
            except httpx.TransportError as error:
                self._seen.failed(kind, f"{type(error).__name__} after {name}")
            await asyncio.sleep(1)
            if thread != "new":
                turns = await self._turns_of(thread)
                if len(turns) > len(self._seen.turns.get((self._base, thread), [])):
                    self._seen.counts["answers found in the thread"] += 1
                    return thread, turns[-1]["answer"]
        return thread, None

    async def _turns_of(self, thread: str) -> list[dict[str, Any]]:
        told = await self._send("thread", "GET", f"/api/v1/threads/{thread}")
        turns: list[dict[str, Any]] = told["turns"]
        return turns

    async def _end_of(self, job: dict[str, Any]) -> str:
        """Wait for a job, and return what became of it."""
        while job["state"] in ("queued", "running"):
            await asyncio.sleep(_POLL_SECONDS)
            job = await self._send("job", "GET", f"/api/v1/jobs/{job['id']}")
        if job["state"] == "failed":
            return f"failed: {job['errors'][0]['reason']}"
        return str(job["state"])

    async def _expect(self, document: str, status: int) -> None:
        """Count whether each process shows a document as it should be after its job."""
        address = f"/api/v1/bases/{self._base}/document"
        got = await self._respond("document", "GET", address, params={"id": document})
        right = got.status_code == status
        self._seen.counts[f"documents shown {'right' if right else 'wrong'} after a job"] += 1

    async def _send(self, request: str, method: str, address: str, **parts: Any) -> Any:
        """Return the JSON of a request, sent again where it fails."""
        for _ in range(TRIES):
            got = await self._respond(request, method, address, **parts)
            if got.is_success:
                return got.json()
            self._seen.failed(request, f"{got.status_code} {_code(got)}")
            await asyncio.sleep(1)
        raise RuntimeError(f"{method} {address} fails again and again")

    async def _respond(
        self, request: str, method: str, address: str, **parts: Any
    ) -> httpx.Response:
        """Return the response to a request, sent again where there is none."""
        while True:
            try:
                return await self._client.request(method, address, **parts)
            except httpx.TransportError as error:
                self._seen.failed(request, type(error).__name__)
                await asyncio.sleep(1)

    def _judge(self, case: Case, question: str, answer: dict[str, Any]) -> None:
        """Count whether an answer is right."""
        told = json.dumps(answer)
        other = next(name for name in BASES if name != self._base)
        if any(name in told for name in LAST[other]):
            verdict = "of the other base"
        elif question == FOLLOW_UP:
            return  # the stub answers it as it answered the first one
        elif answer["answer"] == case.founder:
            verdict = "right"
        else:
            verdict = "abstained" if answer["abstained"] else "wrong"
        self._seen.counts[f"answers {verdict}"] += 1


@asynccontextmanager
async def askers(url: str, keys: dict[str, str], seen: Seen) -> AsyncIterator[list[Asker]]:
    """Yield a client for each base."""
    clients = {base: client_of(url, keys[base]) for base in BASES}
    try:
        yield [Asker(client, base, seen) for base, client in clients.items()]
    finally:
        for client in clients.values():
            await client.aclose()


async def load(
    cluster: Cluster,
    url: str,
    keys: dict[str, str],
    *,
    chats: int,
    seconds: float,
    kill_every: float,
) -> Seen:
    """Hold chats and change documents while processes are killed, then restarted in turn.

    Args:
        cluster: The processes, which run.
        url: Address of the proxy.
        keys: By base.
        chats: How many there are at once.
        seconds: How long processes are killed.
        kill_every: Seconds from one start to the next kill.
    """
    seen = Seen()
    ends = asyncio.Event()
    async with askers(url, keys, seen) as clients:
        work = [asyncio.create_task(clients[i % 2].chat(i, ends)) for i in range(chats)]
        work += [asyncio.create_task(one.churn("a", ends)) for one in clients]
        await cluster.kill_in_turn(seen, seconds, kill_every)
        await cluster.restart_in_turn(seen)
        ends.set()
        await asyncio.gather(*work)
        seen.phase = "whole"
        for one in clients:
            await one.check_threads()
    for server in cluster.servers.values():
        async with askers(server.url, keys, seen) as clients:
            for one in clients:
                await one.check_documents()
    return seen


def upstream_of(ports: list[int]) -> str:
    """Return the guide's upstream block for processes at other ports."""
    block = block_of(GUIDE, "upstream hoptrail {")
    lines = re.findall(r"^ *server 127\.0\.0\.1:\d+.*;$", block, re.M)
    servers = [re.sub(r":\d+", f":{port}", lines[0], count=1) for port in ports]
    return block.replace("\n".join(lines), "\n".join(servers))


def location() -> str:
    """Return the guide's location block for these processes."""
    return block_of(GUIDE, "location / {\n        proxy_pass http://hoptrail;")


def run(
    folder: Path, *, processes: int, chats: int, seconds: float, kill_every: float
) -> tuple[Seen, dict[str, Any]]:
    """Start all that is needed, hold the chats, and end it again.

    Args:
        folder: Where all of it lies.
        processes: How many serve.
        chats: How many are held at once.
        seconds: How long processes are killed.
        kill_every: Seconds from one start to the next kill.

    Returns:
        What clients saw, and figures of the processes.
    """
    with ExitStack() as stack:
        stub = stack.enter_context(OpenAIStubServer(reply))
        keys = prepare(folder, stub.url)
        database = stack.enter_context(postgres_server())
        cluster = Cluster(folder, processes, {"HOPTRAIL_CHECKPOINTER": database})
        stack.callback(cluster.end_all)
        (folder / "nginx").mkdir()
        url = stack.enter_context(
            nginx_server(folder / "nginx", location(), upstream_of(cluster.ports))
        )

        async def hold() -> Seen:
            await asyncio.gather(*(cluster.start(number) for number in range(processes)))
            return await load(
                cluster, url, keys, chats=chats, seconds=seconds, kill_every=kill_every
            )

        seen = asyncio.run(hold())
        megabytes = [server.megabytes for server in cluster.servers.values()]
        return seen, {"megabytes_of_each": megabytes}


def main() -> None:
    """Measure, and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chats", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--kill-every", type=float, default=60)
    parser.add_argument("--processes", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        seen, processes = run(Path(name), **vars(given))
    print(json.dumps({**vars(given), **seen.to_json(), **processes}, indent=2))


def _code(response: httpx.Response) -> str:
    """Return the code of an error; nothing where the proxy answered."""
    try:
        return str(response.json()["error"]["code"])
    except (ValueError, KeyError, TypeError):
        return "of the proxy"


def _percentiles(seconds: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=20) if len(seconds) > 1 else seconds * 19
    return {
        "seconds_p50": round(statistics.median(seconds), 3),
        "seconds_p95": round(cuts[18], 3),
        "seconds_most": round(max(seconds), 3),
    }


if __name__ == "__main__":
    main()
