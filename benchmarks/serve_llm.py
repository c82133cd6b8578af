"""Measures `hoptrail serve-llm` under many streaming clients against one client at a time.

The server is a process of its own with SmolLM2 behind an untrained graph encoder, whose speed is
that of a trained one. Each request brings a made-up subgraph of 60 edges on 40 nodes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from bench import Figure, report

NODES = 40
EDGES = 60
TOKENS = 48
NAMES = 2000
VERBS = ("born in", "lies in", "married to", "works for", "part of", "founded by", "plays for")
SYLLABLES = ("va", "ne", "lund", "ros", "ter", "kil", "mar", "sø", "dal", "by", "an", "or")
SERVED = "bench"


@dataclass
class Load:
    """Measurements of the clients during one stretch of time.

    Attributes:
        seconds: From the first request to the end of the last.
        tokens: Completion tokens of the replies.
        first: Seconds to the first text of each reply.
        total: Seconds to its end.
        lost: What went wrong with the requests that got no whole reply.
    """

    seconds: float = 0.0
    tokens: int = 0
    first: list[float] = field(default_factory=list)
    total: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Tokens a second, of all clients together."""
        return self.tokens / self.seconds


def main() -> int:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description="Measure the server of the graph LLM.")
    parser.add_argument("--base", default="smollm2-135m")
    parser.add_argument("--checkpoint", type=Path, help="serve this instead of an untrained one")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--alone", type=float, default=20, help="seconds of one client at a time")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = arguments.checkpoint or untrained(arguments.base, Path(folder) / SERVED)
        with running(checkpoint, arguments.device) as url:
            alone, together = asyncio.run(measure(url, arguments))
    report(figures(alone, together, arguments.clients))
    for reason in sorted(set(together.lost + alone.lost)):
        print(f"lost: {reason}")
    return 1 if together.lost or alone.lost else 0


def untrained(base: str, folder: Path) -> Path:
    """Write a checkpoint whose encoder has random weights."""
    from hoptrail.models.embedder import load_embedder
    from hoptrail.models.graph_llm.base_model import load_base_model
    from hoptrail.models.graph_llm.checkpoint import save_checkpoint
    from hoptrail.models.graph_llm.config import GraphLlamaConfig
    from hoptrail.models.graph_llm.model import GraphLlama

    embedder = load_embedder("all-MiniLM-L6-v2")
    save_checkpoint(GraphLlama(load_base_model(base), GraphLlamaConfig(), embedder), folder)
    return folder


@contextmanager
def running(checkpoint: Path, device: str) -> Iterator[str]:
    """Run the server and yield its URL once it is ready; it must end by itself afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", "from hoptrail.cli import main; main()", "serve-llm"]
    options = [str(checkpoint), "--name", SERVED, "--port", str(port), "--device", device]
    process = subprocess.Popen([*command, *options])
    url = f"http://127.0.0.1:{port}"
    try:
        while not is_ready(url):
            if process.poll() is not None:
                raise SystemExit("the server did not start")
            time.sleep(0.2)
        yield url
        process.send_signal(signal.SIGTERM)
        if process.wait(timeout=60):
            raise SystemExit(f"the server ended with {process.returncode}")
    finally:
        process.kill()
        process.wait()


def is_ready(url: str) -> bool:
    """Return whether the server answers."""
    try:
        return httpx.get(f"{url}/ready").is_success
    except httpx.TransportError:
        return False


async def measure(url: str, arguments: argparse.Namespace) -> tuple[Load, Load]:
    """Return what one client saw, and many at once, of the same requests in the same order."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=600) as client:
        await ask(client, made_up(random.Random(-1)), Load())
        alone = await load(client, 1, arguments.alone)
        together = await load(client, arguments.clients, arguments.seconds)
    return alone, together


async def load(client: httpx.AsyncClient, clients: int, seconds: float) -> Load:
    """Let so many clients ask one request after the other, none begun after `seconds`."""
    seen = Load()
    requests = made_up_stream()
    started = time.perf_counter()

    async def ask_on() -> None:
        while time.perf_counter() - started < seconds:
            await ask(client, next(requests), seen)

    await asyncio.gather(*(ask_on() for _ in range(clients)))
    seen.seconds = time.perf_counter() - started
    return seen


async def ask(client: httpx.AsyncClient, body: dict[str, Any], seen: Load) -> None:
    """Stream one reply and note what happened."""
    started = time.perf_counter()
    first = usage = None
    done = False
    try:
        async with client.stream("POST", "/v1/chat/completions", json=body) as response:
            if response.status_code != 200:
                seen.lost.append(f"{response.status_code} {(await response.aread()).decode()}")
                return
            async for line in response.aiter_lines():
                data = line.removeprefix("data: ")
                done = done or data == "[DONE]"
                if line and data != "[DONE]":
                    chunk = json.loads(data)
                    first = first or time.perf_counter()
                    usage = chunk.get("usage") or usage
    except httpx.HTTPError as error:
        seen.lost.append(type(error).__name__)
        return
    if not done or first is None or usage is None:
        seen.lost.append("the stream ended early")
        return
    seen.first.append(first - started)
    seen.total.append(time.perf_counter() - started)
    seen.tokens += usage["completion_tokens"]


def made_up_stream() -> Iterator[dict[str, Any]]:
    """Yield requests, the same ones each time."""
    chance = random.Random(0)
    while True:
        yield made_up(chance)


def made_up(chance: random.Random) -> dict[str, Any]:
    """Return a request about a subgraph of a made-up world."""
    nodes = chance.sample(world(), NODES)
    edges = [
        [chance.randrange(NODES), chance.choice(VERBS), chance.randrange(NODES)]
        for _ in range(EDGES)
    ]
    question = f"Tell me all that you know about {nodes[0]} and {nodes[1]}."
    return {
        "model": SERVED,
        "messages": [{"role": "user", "content": question}],
        "graph": {"nodes": nodes, "edges": edges},
        "max_tokens": TOKENS,
        "temperature": 1.0,
        "seed": chance.randrange(2**31),
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@cache
def world() -> list[str]:
    """Return the names of the world's entities."""
    chance = random.Random(0)
    return [" ".join(chance.choices(SYLLABLES, k=3)).title() for _ in range(NAMES)]


def figures(alone: Load, together: Load, clients: int) -> list[Figure]:
    """Return the lines of the report."""
    return [
        Figure("requests lost", str(len(together.lost)), "0"),
        Figure("requests answered", str(len(together.total))),
        Figure("tokens/s, one by one", f"{alone.rate:.1f}"),
        Figure(
            f"tokens/s, {clients} clients",
            f"{together.rate:.1f}",
            ratio=f"{together.rate / alone.rate:.2f} x one by one",
        ),
        Figure("first token, one by one", seconds_of(alone.first)),
        Figure(f"first token, {clients} clients", seconds_of(together.first)),
        Figure("whole reply, one by one", seconds_of(alone.total)),
        Figure(f"whole reply, {clients} clients", seconds_of(together.total)),
    ]


def seconds_of(times: Sequence[float]) -> str:
    """Return median and 95th percentile."""
    if not times:
        return "-"
    middle, late = np.percentile(times, [50, 95])
    return f"p50 {middle:.2f} s, p95 {late:.2f} s"


if __name__ == "__main__":
    sys.exit(main())
