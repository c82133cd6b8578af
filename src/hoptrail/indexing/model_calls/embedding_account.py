"""The account of the vectors of a run, where a remote embedder makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from hoptrail.core.budget import Meter, booking_to
from hoptrail.core.settings import Price
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Usage
from hoptrail.indexing.model_calls.spending_limit import SpendingLimit


@dataclass(frozen=True)
class EmbeddingAccount:
    """Holds vectors to the limit of their run.

    Attributes:
        price: Of the embedder, None where it costs nothing or its price is not known.
        limit: What the run may spend.
        meter: Account of the calls.
    """

    price: Price | None = None
    limit: SpendingLimit = field(default_factory=lambda: SpendingLimit(None))
    meter: Meter = field(default_factory=lambda: Meter("embed"))

    @contextmanager
    def paying_for(self, texts: Sequence[str]) -> Iterator[None]:
        """Book the calls within, which embed these texts.

        Raises:
            CostLimitError: If they could pass the limit; nothing within is done then.
        """
        if self.price is not None:
            self.limit.check(self.price.usd(sum(map(estimate_tokens, texts))))
        before = self.meter.usage.usd
        try:
            with booking_to(self.meter):
                yield
        finally:
            self.limit.spend(self.meter.usage.usd - before)

    def added_to(self, usage: Usage) -> Usage:
        """Return a usage that also counts the calls, where there were any."""
        spent = self.meter.usage
        return usage.add(self.meter.node, spent) if spent.embedding_calls else usage
