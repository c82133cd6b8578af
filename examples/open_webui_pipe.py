"""A pipe for Open WebUI: Hoptrail's answers, their sources open beside them.

Paste it under Admin Panel, Functions, and set the address of `hoptrail web` and its key as valves.
Open WebUI also takes that address as an OpenAI connection, without this pipe: then the sources
stand below each answer.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
from pydantic import BaseModel, Field

Emit = Callable[[dict[str, Any]], Awaitable[None]]


class Pipe:
    """One model in Open WebUI for each base and preset of a Hoptrail server."""

    class Valves(BaseModel):
        """Choices of the administrator."""

        url: str = Field("http://127.0.0.1:8077", description="Address of hoptrail web.")
        key: str = Field("", description="API key, where the server asks for one.")
        models: str = Field("", description="Names to show, by commas; all if empty.")
        seconds: float = Field(180, description="Longest wait for a piece of an answer.")

    def __init__(self) -> None:
        self.valves = self.Valves()

    async def pipes(self) -> list[dict[str, str]]:
        """Return the models that Open WebUI lists."""
        async with self._client() as client:
            listed = (await client.get("/v1/models")).raise_for_status().json()["data"]
        wanted = {name.strip() for name in self.valves.models.split(",") if name.strip()}
        names = [model["id"] for model in listed if not wanted or model["id"] in wanted]
        return [{"id": name, "name": f"Hoptrail {name}"} for name in names]

    async def pipe(self, body: dict[str, Any], __event_emitter__: Emit) -> AsyncIterator[str]:
        """Yield the answer; its sources go to the side."""
        asked = {
            "model": body["model"].partition(".")[2] or body["model"],
            "messages": body["messages"],
            "stream": True,
            "hoptrail": {"sources": False},
        }
        await __event_emitter__(_status("searching", done=False))
        async with (
            self._client() as client,
            client.stream("POST", "/v1/chat/completions", json=asked) as response,
        ):
            if response.is_error:
                error = json.loads(await response.aread())["error"]
                raise RuntimeError(error["message"])
            async for line in response.aiter_lines():
                data = line.removeprefix("data: ")
                if data == line or data == "[DONE]":
                    continue
                chunk = json.loads(data)
                if "error" in chunk:
                    raise RuntimeError(chunk["error"]["message"])
                yield chunk["choices"][0]["delta"].get("content") or ""
                if "hoptrail" in chunk:
                    await self._emit_sources(chunk, __event_emitter__)
        await __event_emitter__(_status("done", done=True))

    async def _emit_sources(self, chunk: dict[str, Any], emit: Emit) -> None:
        answer = chunk["hoptrail"]
        quotes = answer["nearest"] if answer["abstained"] else answer["trail"]
        shown = [one for one in quotes if one["doc_id"] and (one.get("quote") or "sentence" in one)]
        once: dict[tuple[Any, ...], dict[str, Any]] = {}
        for one in shown:  # two steps may rest on one quote, which is one citation
            once.setdefault((one["doc_id"], one["start"], one["end"]), one)
        for one, address in zip(once.values(), chunk["citations"], strict=False):
            source = {
                "source": {"name": one["doc_id"], "id": one["doc_id"], "url": address},
                "document": [one.get("quote") or one["sentence"]],
                "metadata": [{"source": one["doc_id"], "name": one["doc_id"], "url": address}],
            }
            await emit({"type": "source", "data": source})

    def _client(self) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {self.valves.key}"} if self.valves.key else {}
        return httpx.AsyncClient(
            base_url=self.valves.url, headers=headers, timeout=self.valves.seconds
        )


def _status(text: str, *, done: bool) -> dict[str, Any]:
    return {"type": "status", "data": {"description": text, "done": done, "hidden": done}}
