"""Every fault of a real OpenAI-protocol server ends in an answer or a typed abstention."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hoptrail import Answer, Hoptrail
from hoptrail.testing import Fault, OpenAIStubServer
from hoptrail.testing.faults import (
    dropped,
    empty,
    fenced,
    hang,
    http_error,
    in_prose,
    noise,
    truncated,
    wrong_types,
)
from tests.ships import QUESTION, REPLY, hashing_settings, index_ships

STANDALONE = {"question": "Where was Edda Thorn born?"}
LASTING = {
    "unauthorised": http_error(401),
    "rate limit": http_error(429, retry_after=0.05),
    "server error": http_error(500),
    "timeout": hang(20),
    "dropped connection": dropped(REPLY),
    "empty": empty(),
    "noise": noise(),
    "prose": Fault(text="I am afraid that I would rather talk about the weather."),
}
PASSING = {name: LASTING[name] for name in ("rate limit", "server error", "dropped connection")}
MALFORMED = {
    "truncated": truncated(STANDALONE),
    "fenced": fenced(STANDALONE),
    "prose around": in_prose(STANDALONE),
    "wrong types": wrong_types(STANDALONE),
    "noise": noise(),
    "empty": empty(),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ships")
    index_ships(folder, hashing_settings())
    return folder


def well_behaved(body: dict[str, Any]) -> str:
    prompt = str(body["messages"])
    return REPLY if "FINAL ANSWER" in prompt else "bridge"


def ask(folder: Path, server: OpenAIStubServer, *questions: str) -> Answer:
    settings = hashing_settings(
        model="openai:stub", base_url=server.url, timeout_seconds=0.5, max_retries=1
    )
    with Hoptrail.open(folder, settings=settings) as hoptrail:
        thread = f"thread-{server.port}" if len(questions) > 1 else None
        answers = [hoptrail.ask(question, thread_id=thread) for question in questions]
    return answers[-1]


@pytest.mark.parametrize("fault", LASTING.values(), ids=LASTING)
def test_lasting_fault_ends_in_a_labelled_outcome(folder: Path, fault: Fault) -> None:
    with OpenAIStubServer(fault) as server:
        answer = ask(folder, server, QUESTION)

    labels = {"model_unavailable", "budget_tokens", "abstained", "answered"}
    assert answer.stop_reason in labels
    assert answer.abstained == (answer.abstain_reason is not None)
    assert answer.abstained or answer.text == "Edda Thorn"
    assert answer.usage.llm_calls == server.calls


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_passing_fault_is_retried(folder: Path, fault: Fault) -> None:
    with OpenAIStubServer([fault, "bridge", fault, REPLY]) as server:
        answer = ask(folder, server, QUESTION)

    assert (answer.text, answer.strategy) == ("Edda Thorn", "sparql")
    assert answer.usage.llm_calls == server.calls == 4


@pytest.mark.parametrize("fault", MALFORMED.values(), ids=MALFORMED)
def test_malformed_structured_reply_never_loses_the_turn(folder: Path, fault: Fault) -> None:
    def script(body: dict[str, Any]) -> str | Fault:
        is_follow_up = "tools" in body or "JSON" in str(body["messages"])
        return fault if is_follow_up else well_behaved(body)

    with OpenAIStubServer(script) as server:
        answer = ask(folder, server, QUESTION, "Where was she born?")

    assert answer.standalone_question == "Where was Edda Thorn born?"


def test_tokens_and_dollars_are_the_servers_count(folder: Path) -> None:
    settings = {"prices": {"openai:stub": {"prompt": 1.0, "completion": 2.0}}}
    with OpenAIStubServer(["bridge", REPLY]) as server:
        opened = hashing_settings(model="openai:stub", base_url=server.url, **settings)
        with Hoptrail.open(folder, settings=opened) as hoptrail:
            usage = hoptrail.ask(QUESTION).usage

    assert usage.prompt_tokens > usage.completion_tokens > 0
    assert usage.usd == pytest.approx(
        (usage.prompt_tokens + 2 * usage.completion_tokens) / 1e6, rel=1e-6
    )
