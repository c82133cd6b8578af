from __future__ import annotations

import asyncio
import time

import pytest

from hoptrail.core.budget import Limits, Meter, open_account
from hoptrail.core.errors import BudgetExceededError
from hoptrail.core.types import NodeUsage, Usage


def test_calls_of_earlier_nodes_count_against_the_limit() -> None:
    meter = Meter("answer", Limits(max_calls=3), Usage(llm_calls=2))
    meter.begin_call()
    with pytest.raises(BudgetExceededError) as caught:
        meter.begin_call()
    assert caught.value.kind == "budget_calls"
    assert meter.usage.llm_calls == 1


def test_the_call_after_the_token_limit_is_refused() -> None:
    meter = Meter("answer", Limits(max_tokens=100), Usage(prompt_tokens=60))
    meter.begin_call()
    meter.add(NodeUsage(prompt_tokens=30, completion_tokens=20))
    with pytest.raises(BudgetExceededError) as caught:
        meter.check()
    assert caught.value.kind == "budget_tokens"


def test_a_run_out_of_seconds_allows_no_call() -> None:
    meter = Meter("answer", Limits(max_seconds=5, started_at=time.time() - 6))
    with pytest.raises(BudgetExceededError) as caught:
        meter.begin_call()
    assert caught.value.kind == "budget_seconds"
    assert meter.usage.llm_calls == 0


def test_open_limits_refuse_nothing() -> None:
    meter = Meter("answer", Limits(), Usage(llm_calls=10**6, prompt_tokens=10**9))
    meter.begin_call()
    assert meter.usage.llm_calls == 1


def test_zero_calls_allow_none() -> None:
    with pytest.raises(BudgetExceededError):
        Meter("answer", Limits(max_calls=0)).check()


def test_remaining_seconds_fall_from_the_start_and_end_at_zero() -> None:
    assert Limits().remaining_seconds() is None
    assert Limits(max_seconds=10, started_at=time.time() - 4).remaining_seconds() == pytest.approx(
        6, abs=0.5
    )
    assert Limits(max_seconds=1, started_at=time.time() - 4).remaining_seconds() == 0


def test_a_nodes_wall_clock_replaces_the_sum_of_its_calls() -> None:
    meter = Meter("answer")
    meter.add(NodeUsage(llm_calls=1, seconds=9.0, usd=0.5))
    assert meter.spent(2.0) == NodeUsage(llm_calls=1, seconds=2.0, usd=0.5)


async def test_an_account_has_what_all_tasks_of_a_run_spend_each_dollar_once() -> None:
    async def node(usd: float) -> None:
        opening, meter = Meter("opening"), Meter("node")
        opening.add(NodeUsage(usd=usd))
        meter.take_over(opening)
        assert meter.usage.usd == usd

    async def run(usd: float) -> float:
        account = open_account()
        await asyncio.gather(node(usd), node(usd))
        return account.usd

    spent = await asyncio.gather(run(1.0), run(2.0))

    assert list(spent) == [2.0, 4.0]


@pytest.mark.parametrize("jump", [-3600.0, 3600.0])
def test_a_clock_that_is_set_changes_no_limit(monkeypatch: pytest.MonkeyPatch, jump: float) -> None:
    limits = Limits(max_seconds=100)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + jump)
    assert limits.remaining_seconds() == pytest.approx(100, abs=5)
