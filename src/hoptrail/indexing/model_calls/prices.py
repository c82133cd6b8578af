"""The cost of a model's calls, where its price is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langchain_core.messages import BaseMessage

from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import Price
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import NodeUsage
from hoptrail.models.prices import known_price


def price_for_limit(model: str, prices: Mapping[str, Price], max_usd: float | None) -> Price | None:
    """Return the known price of a model that is to be used under a limit of dollars (None: any).

    Raises:
        SettingsError: If there is a limit and the model's price is not known.
    """
    price = known_price(model, prices)
    if max_usd is not None and price is None:
        raise SettingsError(
            f"the price of {model} is not known, so max_usd cannot be kept", hint=how_to_set(model)
        )
    return price


def how_to_set(model: str) -> str:
    """Return what to do about a price that is not known."""
    return (
        f'set it in hoptrail.toml, dollars per million tokens: [prices."{model}"] prompt = ..., '
        "completion = ..."
    )


def estimate_usage(
    messages: Sequence[BaseMessage], completion: int, price: Price | None
) -> NodeUsage:
    """Return what one call will spend, about; dollars are 0 where the price is not known.

    Args:
        messages: The prompt.
        completion: Tokens of the reply, as it is expected.
        price: Of the model.
    """
    prompt = sum(estimate_tokens(str(message.text)) for message in messages)
    return NodeUsage(1, prompt, completion, 0.0, price.usd(prompt, completion) if price else 0.0)
