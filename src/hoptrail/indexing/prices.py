"""Whether it is known what a model costs."""

from __future__ import annotations

from collections.abc import Mapping

from hoptrail.core.settings import Price
from hoptrail.models.meter import price_of


def known_price(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the model's dollars per million tokens, None where neither set nor known."""
    bare_name = model.partition(":")[2] or model
    price = price_of(model, prices)
    is_set = model in prices or bare_name in prices
    return price if is_set or price != Price() else None
