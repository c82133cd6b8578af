"""The OpenAI stub as other tests and processes use it."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.errors import UnknownNameError
from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.faults import fault_from_json


def post(url: str, text: str) -> Any:
    body = {"model": "stub", "messages": [{"role": "user", "content": text}]}
    request = urllib.request.Request(
        f"{url}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "X-Test": "yes"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def test_it_records_what_it_was_sent() -> None:
    with OpenAIStubServer("hello") as server:
        assert post(server.url, "Who is there?") == "hello"
    assert server.calls == 1
    assert server.requests[0].text == "Who is there?"
    assert server.requests[0].headers["x-test"] == "yes"


def test_it_lists_its_model() -> None:
    with (
        OpenAIStubServer("hello") as server,
        urllib.request.urlopen(f"{server.url}/models", timeout=30) as response,
    ):
        assert json.load(response)["data"][0]["id"] == "stub"


@pytest.fixture
def stub_process(tmp_path: Path) -> Iterator[str]:
    script = {
        "rules": [
            {"when": "capital", "reply": "Paris"},
            {"when": "broken", "reply": {"fault": "http_error", "status": 503}},
        ],
        "default": {"answer": 42},
    }
    path = tmp_path / "script.json"
    path.write_text(json.dumps(script))
    command = [sys.executable, "-m", "hoptrail.testing.openai_stub", "--script", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.mark.slow
def test_it_serves_other_processes_by_rules(stub_process: str) -> None:
    assert post(stub_process, "What is the capital?") == "Paris"
    assert json.loads(post(stub_process, "else")) == {"answer": 42}
    with pytest.raises(urllib.error.HTTPError, match="503"):
        post(stub_process, "broken")


def test_an_unknown_fault_is_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'truncated'"):
        fault_from_json("truncate", {})
