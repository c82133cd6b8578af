"""One model, called with retries, a shared rate limit and a budget: the only retry policy."""

from __future__ import annotations

import asyncio
import logging
import random
import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, TypeVar

from hoptrail.core.budget import Meter
from hoptrail.core.errors import (
    BudgetExceededError,
    HoptrailError,
    ModelKeyError,
    ModelUnavailableError,
)
from hoptrail.core.types import NodeUsage
from hoptrail.models.failures import CallFailedError, Failure, advise, failure_of, tell

Feature = Literal["tools", "temperature", "streaming", "logprobs"]
OPTIONAL: Mapping[str, Feature] = {"temperature": "temperature", "logprobs": "logprobs"}
"""Options of a call that a server may refuse, by their names in LangChain."""

_REFUSED_STATUS = frozenset({400, 404, 405, 415, 422, 501})
_COMPLAINTS: tuple[tuple[Feature, re.Pattern[str]], ...] = (
    ("logprobs", re.compile(r"logprobs?", re.IGNORECASE)),
    ("temperature", re.compile(r"temperature", re.IGNORECASE)),
    ("streaming", re.compile(r"stream", re.IGNORECASE)),
    ("tools", re.compile(r"\btools?\b|tool[-_ ]|function", re.IGNORECASE)),
)


@dataclass
class Features:
    """Features that a model's server accepts; all calls of the model in this process share them."""

    refused: set[Feature] = field(default_factory=set)

    def accepts(self, feature: Feature) -> bool:
        """Return whether the feature was not refused so far."""
        return feature not in self.refused

    def learn(self, failure: Failure) -> bool:
        """Note the feature that a refusal complains about; return whether one was found."""
        if failure.status not in _REFUSED_STATUS or failure.written is not None:
            return False
        for feature, complaint in _COMPLAINTS:
            if feature not in self.refused and complaint.search(failure.reason):
                self.refused.add(feature)
                return True
        return False


class RateGate:
    """Holds back all calls of a model once one of them was told to wait.

    It belongs to no event loop, so calls of several threads share it.
    """

    def __init__(self) -> None:
        self._opens_at = 0.0

    def hold(self, seconds: float) -> None:
        """Let no call pass for this long."""
        self._opens_at = max(self._opens_at, time.monotonic() + seconds)

    def delay(self) -> float:
        """Return the seconds until a call may pass."""
        return max(0.0, self._opens_at - time.monotonic())

    async def wait(self) -> None:
        """Return when a call may pass, also if the gate is held again meanwhile."""
        while (delay := self.delay()) > 0:
            await asyncio.sleep(delay)


R = TypeVar("R")
Heard = Callable[[bool], None]
"""Tells that something of a reply has come, and whether that is text: the wait begins anew."""

_log = logging.getLogger(__name__)

_FIRST_WAIT = 0.5
_MOST_WAITS = 10  # of a reply that never ends, be it in pieces
_LONGEST_BACKOFF = 20.0
_LONGEST_REQUESTED_WAIT = 300.0


class RefusedError(Exception):
    """The server answered, but with a request feature refused or a reply it could not pass on."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


@dataclass
class Caller:
    """Calls one model; an instance is shared by all that use the model in this process.

    Attributes:
        name: The model's full name, for messages.
        key_variable: Environment variable of the model's key, for messages; empty if not known.
        gate: Holds all calls while the server asks to wait.
        features: What the server accepts.
        kind: What it is called in messages.
        server_variable: Environment variable of the server's address, for messages; empty if there
            is none.
    """

    name: str
    key_variable: str = ""
    gate: RateGate = field(default_factory=RateGate)
    features: Features = field(default_factory=Features)
    kind: str = "model"
    server_variable: str = ""

    async def call(
        self,
        send: Callable[[Heard], Awaitable[R]],
        *,
        meter: Meter,
        timeout: float,
        max_retries: int,
        first_timeout: float | None = None,
        may_repeat: Callable[[Failure], bool] = lambda failure: True,
        on_failure: Callable[[Failure], None] = lambda failure: None,
    ) -> R:
        """Return what `send` returns, trying again after transient failures.

        Each try is counted before it is sent. A server's `Retry-After` is honoured for all calls of
        the model; without one the wait doubles from half a second, with jitter. Why the last try
        failed is noted on the meter, for whoever goes on without the model.

        Args:
            send: Sends the request once.
            meter: Account of the calls and seconds.
            timeout: Seconds that one try may take without a further piece of its reply.
            max_retries: Tries after the first one.
            first_timeout: Seconds until its first words, where that may take longer.
            may_repeat: Whether another try makes sense after a failure.
            on_failure: Told about each failed try, for its token usage.

        Raises:
            ModelKeyError: If the server refuses the key.
            ModelUnavailableError: If the model refuses, cannot be reached, or stays rate-limited.
            BudgetExceededError: If calls, tokens or seconds are spent.
            RefusedError: If a feature was refused that can be left out, or the model's tool call
                was withheld by the server.
        """
        retry = 0
        failure: Failure | None = None
        while True:
            await self._wait_for_gate(meter)
            try:
                meter.begin_call()
            except BudgetExceededError:
                if failure is not None:
                    meter.note(str(self._error(failure, retry)))
                raise
            _log.info("model %s is asked", self.name)
            started = time.perf_counter()
            cause: Exception
            try:
                waits = (first_timeout or timeout, timeout)
                first = _shorter(waits[0], meter.limits.remaining_seconds())
                async with asyncio.timeout(first) as patience:
                    return await send(_renewal(patience, waits, meter))
            except CallFailedError as error:
                failure, cause = error.failure, error
            except ModelUnavailableError as error:  # it could not be started again
                meter.note(str(error))
                raise
            except HoptrailError:
                raise
            except Exception as error:
                failure, cause = failure_of(error), error
            finally:
                meter.add(NodeUsage(seconds=time.perf_counter() - started))
            # Without the server's own words: some repeat the key.
            _log.warning("model %s: a call failed, HTTP status %s", self.name, failure.status)
            on_failure(failure)
            if meter.limits.remaining_seconds() == 0:
                if failure.cause != "late":  # then the run's own limit may have cut the call short
                    meter.note(str(self._error(failure, retry + 1)))
                raise meter.out_of_time() from cause
            if failure.written is not None or self.features.learn(failure):
                raise RefusedError(failure) from cause
            if not failure.transient or retry == max_retries or not may_repeat(failure):
                self._give_up(failure, retry + 1, meter, cause)
            await self._back_off(failure, retry, meter, cause)
            retry += 1

    async def _wait_for_gate(self, meter: Meter) -> None:
        delay = self.gate.delay()
        if delay == 0:
            return
        remaining = meter.limits.remaining_seconds()
        if remaining is not None and delay > remaining:
            error = ModelUnavailableError(
                f"{self.kind} {self.name} asks to wait {delay:.0f} s, "
                f"the run has {remaining:.0f} s left",
                hint=advise(Failure("", cause="too_many")),
            )
            meter.note(str(error))
            raise error
        await _timed(self.gate.wait(), meter)

    async def _back_off(self, failure: Failure, retry: int, meter: Meter, cause: Exception) -> None:
        wait = failure.retry_after
        if wait is not None and wait > _LONGEST_REQUESTED_WAIT:
            self._give_up(failure, retry + 1, meter, cause)
        if wait is None:
            longest = min(_LONGEST_BACKOFF, _FIRST_WAIT * 2**retry)
            wait = longest * random.uniform(0.5, 1.0)
        if failure.retry_after is not None or failure.status == 429:
            self.gate.hold(wait)
        else:
            await _timed(asyncio.sleep(_shorter(wait, meter.limits.remaining_seconds())), meter)

    def _give_up(self, failure: Failure, tries: int, meter: Meter, cause: Exception) -> NoReturn:
        error = self._error(failure, tries)
        meter.note(str(error))
        raise error from cause

    def _error(self, failure: Failure, tries: int) -> ModelKeyError | ModelUnavailableError:
        kind = ModelKeyError if failure.cause == "key_refused" else ModelUnavailableError
        return kind(
            tell(failure, f"{self.kind} {self.name}", tries),
            hint=advise(
                failure, key_variable=self.key_variable, server_variable=self.server_variable
            ),
        )


def _renewal(patience: asyncio.Timeout, waits: tuple[float, float], meter: Meter) -> Heard:
    """Return what lets a try wait on: for its first words, then for each further piece."""
    loop = asyncio.get_running_loop()
    end = loop.time() + max(waits[0], _MOST_WAITS * waits[1])

    def renew(is_text: bool, /) -> None:
        wait = _shorter(waits[is_text], meter.limits.remaining_seconds())
        patience.reschedule(min(loop.time() + wait, end))

    return renew


def _shorter(timeout: float, remaining: float | None) -> float:
    return timeout if remaining is None else min(timeout, remaining)


async def _timed(waiting: Coroutine[Any, Any, None], meter: Meter) -> None:
    started = time.perf_counter()
    try:
        await waiting
    finally:
        meter.add(NodeUsage(seconds=time.perf_counter() - started))


_CALLERS: dict[tuple[str, str | None], Caller] = {}


def shared_caller(
    name: str, base_url: str | None, key_variable: str = "", server_variable: str = ""
) -> Caller:
    """Return the caller that all users of a model of a server share in this process."""
    return _CALLERS.setdefault(
        (name, base_url), Caller(name, key_variable, server_variable=server_variable)
    )


def forget_callers(name: str) -> None:
    """Drop what is known about a model, because another one takes its name."""
    for key in [key for key in _CALLERS if key[0] == name]:
        del _CALLERS[key]
