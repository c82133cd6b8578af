"""Ollama's own protocol, at a stub that cuts prompts silently as Ollama does."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from langchain_core.messages import HumanMessage

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.settings import Settings
from hoptrail.models.chat import ChatModels
from hoptrail.models.local.running_servers import running_servers
from hoptrail.testing.faults import LoopbackHandler, LoopbackServer

pytest.importorskip("langchain_ollama", reason='needs pip install "hoptrail[local]"')
pytestmark = pytest.mark.slow

LONG = " ".join(["rain fell on the old bridge"] * 800)


class _Handler(LoopbackHandler):
    stub: ClassVar[Any]

    def do_GET(self) -> None:
        self.send_json(200, {"models": [{"name": "small:latest"}]})

    def do_POST(self) -> None:
        body = self.read_json()
        self.stub.asked.append(body)
        options = body.get("options") or {}
        context = min(options.get("num_ctx", 4_096), self.stub.most)
        sent = sum(len(message["content"].split()) for message in body["messages"])
        reply = {
            "model": body["model"],
            "created_at": "2026-11-28T00:00:00Z",
            "message": {"role": "assistant", "content": "Varde"},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": min(sent, context),
            "eval_count": 2,
        }
        if self.stub.logprobs:
            reply["logprobs"] = self.stub.logprobs
        self.send_json(200, reply)


@dataclass
class Ollama(LoopbackServer):
    """Reads at most `most` tokens, a word each, whatever is asked for."""

    handler: ClassVar[type[LoopbackHandler]] = _Handler
    port: int = 0
    most: int = 100_000
    logprobs: list[dict[str, Any]] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ollama]:
    with Ollama() as server:
        monkeypatch.setenv("OLLAMA_HOST", f"http://127.0.0.1:{server.port}")
        yield server


def ask(prompt: str, max_tokens: int | None = None) -> str:
    model = ChatModels(Settings(model="ollama:small")).for_role("answerer")
    call = model.reply([HumanMessage(prompt)], meter=Meter("test"), max_tokens=max_tokens)
    return asyncio.run(call)


def test_the_context_is_as_large_as_the_prompt_needs(ollama: Ollama) -> None:
    assert ask("Where?", 48) == "Varde"
    assert ask(LONG, 48) == "Varde"
    short, long = (asked["options"]["num_ctx"] for asked in ollama.asked)
    assert short == 2_048
    assert long > 4_096


def test_how_sure_the_model_was_is_read_as_ollama_tells_it(ollama: Ollama) -> None:
    ollama.logprobs = [{"token": "Varde", "logprob": -0.5}]
    model = ChatModels(Settings(model="ollama:small")).for_role("answerer")
    call = model.scored_reply([HumanMessage("Where?")], meter=Meter("test"), max_tokens=8)
    assert asyncio.run(call).probability == pytest.approx(math.exp(-0.5))


def test_a_reply_has_a_limit_where_none_is_set(ollama: Ollama) -> None:
    ask("Where?")
    assert ollama.asked[0]["options"]["num_predict"] == 1_024


def test_a_prompt_that_was_cut_gives_no_answer(ollama: Ollama) -> None:
    ollama.most = 2_048
    with pytest.raises(ModelReplyError, match=r"read 2,048 of about .* tokens: the prompt was cut"):
        ask(LONG)


def test_a_running_server_is_found_with_its_models(ollama: Ollama) -> None:
    ports = {"Ollama": ollama.port, "LM Studio": 0, "llama.cpp": 0, "vLLM": 0}
    (found,) = asyncio.run(running_servers(ports))
    assert (found.kind, found.models) == ("Ollama", ("small:latest",))
    assert found.settings("small:latest") == {"model": "ollama:small:latest"}
    assert json.dumps(found.to_json())
