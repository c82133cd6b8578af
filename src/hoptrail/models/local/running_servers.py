"""Model servers that run on this machine: asked what they serve, and nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx

from hoptrail.core.types import Record

_SECONDS = 1.0
_MOST_MODELS = 50


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of server: where it listens by default, and what lists its models."""

    name: str
    port: int
    path: str


_KINDS = (
    _Kind("Ollama", 11434, "/api/tags"),
    _Kind("LM Studio", 1234, "/v1/models"),
    _Kind("llama.cpp", 8080, "/v1/models"),
    _Kind("vLLM", 8000, "/v1/models"),
)


@dataclass(frozen=True, slots=True)
class RunningServer(Record):
    """A server on loopback with its models; `address` is its root, without a path."""

    kind: str
    address: str
    models: tuple[str, ...]

    def settings(self, model: str) -> dict[str, str | bool]:
        """Return the settings by which a model of it is used."""
        if self.kind == "Ollama":
            return {"model": f"ollama:{model}"}
        return {"model": f"openai:{model}", "base_url": f"{self.address}/v1", "small_model": True}


async def running_servers(ports: dict[str, int] | None = None) -> list[RunningServer]:
    """Return the servers that answer a GET for the list of their models, in the order of kinds.

    Args:
        ports: Ports by kind where they are not the usual ones; 0 leaves a kind out.
    """
    chosen = [(kind, (ports or {}).get(kind.name, kind.port)) for kind in _KINDS]
    # Proxies of the environment are for other machines.
    async with httpx.AsyncClient(timeout=_SECONDS, trust_env=False) as client:
        found = await asyncio.gather(*(_ask(client, *one) for one in chosen if one[1]))
    return [server for server in found if server is not None]


async def _ask(client: httpx.AsyncClient, kind: _Kind, port: int) -> RunningServer | None:
    address = f"http://127.0.0.1:{port}"
    try:
        reply = await client.get(f"{address}{kind.path}")
        told: Any = reply.json() if reply.status_code == httpx.codes.OK else None
    except (httpx.HTTPError, ValueError):
        return None
    if not isinstance(told, dict):
        return None
    rows, key = (told.get("models"), "name") if kind.name == "Ollama" else (told.get("data"), "id")
    if not isinstance(rows, list):
        return None
    models = tuple(
        str(row[key]) for row in rows[:_MOST_MODELS] if isinstance(row, dict) and row.get(key)
    )
    return RunningServer(kind.name, address, models)
