"""How long a call is waited for, by a clock that moves as soon as everything waits."""

from __future__ import annotations

import asyncio

import pytest

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelUnavailableError
from hoptrail.models.caller import Caller, Heard

pytestmark = pytest.mark.looptime


async def call(*pieces: tuple[float, bool], timeout: float = 0.2, first: float = 0.6) -> str:
    """Return a reply that comes in pieces: how long each takes, and whether it is text."""

    async def send(heard: Heard) -> str:
        for seconds, is_text in pieces:
            await asyncio.sleep(seconds)
            heard(is_text)
        return "done"

    caller = Caller("test:model")
    return await caller.call(
        send, meter=Meter("test"), timeout=timeout, max_retries=0, first_timeout=first
    )


async def test_a_reply_may_take_long_as_long_as_its_pieces_come() -> None:
    assert await call((0.4, True), (0.1, True), (0.1, True), (0.1, True)) == "done"


async def test_a_reply_that_falls_silent_is_given_up() -> None:
    with pytest.raises(ModelUnavailableError):
        await call((0.1, True), (0.5, True))


async def test_a_prompt_that_is_being_read_is_given_the_time_of_the_first_words() -> None:
    assert await call((0.4, False), (0.4, False), (0.4, True)) == "done"


async def test_a_reply_that_never_ends_is_given_up() -> None:
    with pytest.raises(ModelUnavailableError):
        await call(*[(0.05, True)] * 100, timeout=0.1, first=0.1)


async def test_why_a_model_cannot_be_started_again_is_noted() -> None:
    async def send(_: Heard) -> str:
        raise ModelUnavailableError("it cannot be loaded")

    meter = Meter("test")
    with pytest.raises(ModelUnavailableError):
        await Caller("test:model").call(send, meter=meter, timeout=1.0, max_retries=0)
    assert "it cannot be loaded" in " ".join(meter.notes)
