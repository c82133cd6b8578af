"""Every fault of a real HTTP server ends in a value or a model error, with the right usage."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import BaseModel

from hoptrail.core.budget import Limits, Meter
from hoptrail.core.errors import (
    BudgetExceededError,
    ModelError,
    ModelKeyError,
    ModelReplyError,
    ModelUnavailableError,
)
from hoptrail.core.settings import Price, Settings
from hoptrail.core.tokens import estimate_tokens
from hoptrail.models.chat import ChatModels, RoleModel
from hoptrail.testing import Fault, OpenAIStubServer, faults
from tests.waiting import wait_for

PERSON: dict[str, Any] = {"name": "Ada Lovelace", "born": 1815, "fields": ["mathematics", "poetry"]}
QUESTION = "When was Ada Lovelace born?"
PROMPT: list[BaseMessage] = [
    HumanMessage(QUESTION, additional_kwargs={"hoptrail": {"role": "solver", "question": QUESTION}})
]
ANSWER = "I look it up. FINAL ANSWER: 1815"


class Person(BaseModel):
    name: str
    born: int
    fields: list[str] = []


def solver(server: OpenAIStubServer, **settings: Any) -> RoleModel:
    options: dict[str, Any] = {"timeout_seconds": 20.0, "max_retries": 2, **settings}
    return ChatModels(Settings(model="openai:stub", base_url=server.url, **options)).for_role(
        "solver"
    )


async def outcome(model: RoleModel, kind: str, meter: Meter) -> Any:
    """Return a call's value, or the model error it ended with."""
    try:
        if kind == "structured":
            return await model.structured(PROMPT, Person, meter=meter)
        return await model.reply(PROMPT, meter=meter, shows_answer=kind == "streamed")
    except (ModelError, ModelKeyError) as error:
        return error


KINDS = ["structured", "streamed", "plain"]
FAULTS = {
    "401": faults.http_error(401),
    "429": faults.http_error(429, retry_after=0),
    "500": faults.http_error(500),
    "dropped": faults.dropped("It will be cut off before it ends " * 5),
    "empty": faults.empty(),
    "truncated": faults.truncated(PERSON),
    "fenced": faults.fenced(PERSON),
    "in_prose": faults.in_prose(PERSON),
    "wrong_types": faults.wrong_types(PERSON),
    "noise": faults.noise(),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_lasting_fault_ends_in_a_value_or_an_error_and_every_request_counts(
    fault: str, kind: str
) -> None:
    meter = Meter("solver")
    with OpenAIStubServer(FAULTS[fault]) as server:
        result = await outcome(solver(server), kind, meter)
    errors = ModelUnavailableError | ModelReplyError | ModelKeyError
    assert isinstance(result, str | Person | errors)
    assert meter.usage.llm_calls == server.calls


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["429", "500", "dropped"])
async def test_a_passing_fault_costs_one_more_call(fault: str, kind: str) -> None:
    reply: Any = PERSON if kind == "structured" else ANSWER
    meter = Meter("solver")
    with OpenAIStubServer([FAULTS[fault], reply]) as server:
        result = await outcome(solver(server), kind, meter)
    assert result == (Person(**PERSON) if kind == "structured" else ANSWER)
    assert meter.usage.llm_calls == server.calls == 2


@pytest.mark.parametrize("fault", ["fenced", "in_prose", "truncated"])
async def test_an_object_in_a_bad_wrapping_is_read_without_asking_again(fault: str) -> None:
    with OpenAIStubServer(FAULTS[fault]) as server:
        person = await outcome(solver(server), "structured", Meter("solver"))
    assert (person.name, person.born) == ("Ada Lovelace", 1815)
    assert server.calls == 1


@pytest.mark.parametrize("fault", ["empty", "wrong_types", "noise"])
async def test_an_unreadable_object_is_asked_for_once_more(fault: str) -> None:
    with OpenAIStubServer([FAULTS[fault], PERSON]) as server:
        person = await outcome(solver(server), "structured", Meter("solver"))
    assert person == Person(**PERSON)
    assert server.calls == 2
    assert "could not be read" in server.requests[1].text


async def test_a_refused_key_is_not_tried_again_and_the_hint_names_the_variable() -> None:
    with OpenAIStubServer(faults.http_error(401)) as server:
        error = await outcome(solver(server), "plain", Meter("solver"))
    assert server.calls == 1
    assert "HOPTRAIL_API_KEY" in error.hint


async def test_no_credit_left_is_not_tried_again() -> None:
    fault = Fault(429, "You exceeded your current quota, see billing", code="insufficient_quota")
    with OpenAIStubServer(fault) as server:
        error = await outcome(solver(server), "plain", Meter("solver"))
    assert isinstance(error, ModelUnavailableError)
    assert server.calls == 1


async def test_a_hanging_server_is_tried_again_after_the_timeout() -> None:
    meter = Meter("solver")
    with OpenAIStubServer([faults.hang(), "1815"]) as server:
        result = await outcome(solver(server, timeout_seconds=0.5), "plain", meter)
    assert result == "1815"
    assert meter.usage.llm_calls == 2
    # The first call's prompt was sent, and most likely worked on.
    assert meter.usage.prompt_tokens == 2 * estimate_tokens(QUESTION)


async def test_a_slow_reply_is_waited_for_as_long_as_its_pieces_come() -> None:
    with OpenAIStubServer(faults.slow("It was in 1815", 0.3)) as server:
        result = await outcome(solver(server, timeout_seconds=0.8), "streamed", Meter("solver"))
    assert result == "It was in 1815"
    assert server.calls == 1


async def test_a_reply_that_stops_coming_is_given_up() -> None:
    with OpenAIStubServer(faults.stalled("It was in 1815")) as server:
        model = solver(server, timeout_seconds=0.5, max_retries=0)
        result = await outcome(model, "streamed", Meter("solver"))
    assert isinstance(result, ModelUnavailableError)


async def test_the_runs_seconds_end_a_slow_reply() -> None:
    meter = Meter("solver", Limits(max_seconds=0.9))
    with OpenAIStubServer(faults.slow("It was in 1815", 0.3)) as server:
        with pytest.raises(BudgetExceededError) as caught:
            await solver(server).reply(PROMPT, meter=meter, shows_answer=True)
    assert caught.value.kind == "budget_seconds"


async def test_the_runs_seconds_end_a_hanging_call() -> None:
    meter = Meter("solver", Limits(max_seconds=0.6))
    with OpenAIStubServer(faults.hang()) as server, pytest.raises(BudgetExceededError) as caught:
        await solver(server).reply(PROMPT, meter=meter)
    assert caught.value.kind == "budget_seconds"
    assert meter.usage.llm_calls == 1


@pytest.mark.parametrize("as_date", [False, True])
async def test_retry_after_is_honoured(as_date: bool) -> None:
    moment = datetime.now(UTC) + timedelta(seconds=2)
    value = format_datetime(moment, usegmt=True) if as_date else 1
    with OpenAIStubServer([faults.http_error(429, retry_after=value), "1815"]) as server:
        started = time.monotonic()
        result = await outcome(solver(server), "plain", Meter("solver"))
    assert result == "1815"
    assert time.monotonic() - started >= 0.9


async def test_a_wait_beyond_the_runs_seconds_is_not_begun() -> None:
    meter = Meter("solver", Limits(max_seconds=20))
    with OpenAIStubServer(faults.http_error(429, retry_after=100)) as server:
        started = time.monotonic()
        error = await outcome(solver(server), "plain", meter)
    assert isinstance(error, ModelUnavailableError)
    assert server.calls == 1
    assert time.monotonic() - started < 10


async def test_all_calls_of_a_model_wait_when_one_is_told_to() -> None:
    arrivals: list[float] = []

    def script(body: dict[str, Any]) -> Any:
        arrivals.append(time.monotonic())
        return faults.http_error(429, retry_after=1) if len(arrivals) == 1 else "1815"

    with OpenAIStubServer(script) as server:
        models = [solver(server) for _ in range(4)]
        first = asyncio.create_task(models[0].reply(PROMPT, meter=Meter("a")))
        await asyncio.to_thread(wait_for, lambda: arrivals, "the model was not asked")
        await asyncio.sleep(0.2)
        others = [model.reply(PROMPT, meter=Meter("b")) for model in models[1:]]
        await asyncio.gather(first, *others)
    assert min(arrivals[1:]) - arrivals[0] >= 0.95


async def test_tokens_and_dollars_are_the_servers_count() -> None:
    meter = Meter("solver")
    with OpenAIStubServer(ANSWER) as server:
        model = solver(server, prices={"stub": Price(prompt=1.0, completion=2.0)})
        for kind in ("plain", "streamed"):
            await outcome(model, kind, meter)
    prompt, completion = estimate_tokens(QUESTION), estimate_tokens(ANSWER)
    assert meter.usage.prompt_tokens == 2 * prompt
    assert meter.usage.completion_tokens == 2 * completion
    assert meter.usage.usd == pytest.approx(2 * (prompt + 2 * completion) / 1e6)


@pytest.mark.parametrize("kind", KINDS)
async def test_tokens_are_estimated_where_the_server_counts_none(kind: str) -> None:
    meter = Meter("solver")
    with OpenAIStubServer(PERSON, sends_usage=False) as server:
        await outcome(solver(server), kind, meter)
    assert meter.usage.prompt_tokens > 0
    assert meter.usage.completion_tokens > 0


async def test_a_server_without_tools_is_asked_in_the_prompt_from_then_on() -> None:
    def script(body: dict[str, Any]) -> Any:
        if "tools" in body:
            return faults.http_error(400, "this server does not support tools")
        return faults.fenced(PERSON)

    meter = Meter("solver")
    with OpenAIStubServer(script) as server:
        for _ in range(2):
            assert await outcome(solver(server), "structured", meter) == Person(**PERSON)
        assert server.calls == meter.usage.llm_calls == 3
        assert '"born"' in server.requests[-1].text


async def test_a_model_that_takes_no_temperature_is_asked_without() -> None:
    def script(body: dict[str, Any]) -> Any:
        if "temperature" in body:
            return faults.http_error(400, "Unsupported value: 'temperature' must be 1")
        return PERSON

    with OpenAIStubServer(script) as server:
        assert await outcome(solver(server), "structured", Meter("solver")) == Person(**PERSON)
        assert server.calls == 2


async def test_no_metadata_of_ours_is_sent_and_only_the_servers_own_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-another-server")
    with OpenAIStubServer("1815") as server:
        await outcome(solver(server, api_key="own-key"), "plain", Meter("solver"))
        await outcome(solver(server), "plain", Meter("solver"))
    assert "hoptrail" not in str(server.requests[0].body)
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer own-key", "Bearer none"]


async def test_an_unreachable_server_is_a_clean_error() -> None:
    with OpenAIStubServer("x") as server:
        pass
    meter = Meter("solver")
    error = await outcome(solver(server, max_retries=1), "plain", meter)
    assert isinstance(error, ModelUnavailableError)
    assert "HOPTRAIL_BASE_URL" in error.hint
    assert (meter.usage.llm_calls, meter.usage.prompt_tokens) == (2, 0)


def test_one_model_serves_several_event_loops() -> None:
    with OpenAIStubServer("1815") as server:
        model = solver(server)
        for _ in range(3):
            assert asyncio.run(model.reply(PROMPT, meter=Meter("solver"))) == "1815"
