from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from hoptrail.core.settings import Price
from hoptrail.core.tokens import estimate_tokens
from hoptrail.models.meter import measure_call

PROMPT = [HumanMessage("Who founded the yard that built the Morning Tern? " * 20)]


def reply(prompt_tokens: Any, completion_tokens: Any) -> AIMessage:
    message = AIMessage("Edda Thorn founded it, as the second passage says.")
    message.usage_metadata = {
        "input_tokens": prompt_tokens,
        "output_tokens": completion_tokens,
        "total_tokens": 0,
    }
    return message


@pytest.mark.parametrize("said", [(300, 14), (180, 5_000), (240, 9)])
def test_a_servers_likely_count_is_believed(said: tuple[int, int]) -> None:
    usage, is_believed = measure_call(PROMPT, reply(*said), price=Price(), count=estimate_tokens)
    assert is_believed
    assert (usage.prompt_tokens, usage.completion_tokens) == said


@pytest.mark.parametrize(
    "said", [(-5, 14), (300, 10**18), (10**18, 14), (1, 14), ("300", 14), (300.0, 14), (True, 14)]
)
def test_a_count_that_cannot_be_is_estimated(said: tuple[Any, Any]) -> None:
    usage, is_believed = measure_call(PROMPT, reply(*said), price=Price(), count=estimate_tokens)
    assert not is_believed
    assert usage.prompt_tokens == estimate_tokens(PROMPT[0].text)


def test_a_call_of_an_unknown_price_is_counted_as_such() -> None:
    usage, _ = measure_call(PROMPT, reply(300, 14), price=None, count=estimate_tokens)
    assert (usage.usd, usage.unpriced_calls) == (0.0, 1)
