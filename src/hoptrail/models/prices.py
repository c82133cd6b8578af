"""The list price of a model: as the settings give it, else as the package genai-prices knows it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from hoptrail.core.settings import Price

# Some prices rise with the length of a prompt; Hoptrail's are short.
_USUAL_PROMPT = 4_000


def known_price(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return a model's dollars per million tokens, None where neither set nor known.

    Args:
        model: Full name, `provider:model`, of a chat model or an embedder.
        prices: Those of the settings, by full name or without the provider; they win.
    """
    bare_name = model.partition(":")[2] or model
    return prices.get(model) or prices.get(bare_name) or _list_price(model)


@cache
def _list_price(model: str) -> Price | None:
    """Return what the installed release of genai-prices says; nothing is fetched."""
    provider, _, name = model.partition(":")
    if not name:
        return None
    # Here, because importing it takes a quarter of a second.
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=_USUAL_PROMPT, output_tokens=_USUAL_PROMPT)
    try:
        listed = calc_price(usage, name, provider_id=provider)
    except LookupError:
        return None
    per_million = 1_000_000 / _USUAL_PROMPT
    return Price(
        prompt=float(listed.input_price) * per_million,
        completion=float(listed.output_price) * per_million,
    )
