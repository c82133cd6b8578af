"""The names of readers: models of a provider, or the oracle, which answers from gold."""

from __future__ import annotations

ORACLE = "oracle"
ORACLE_NOTE = "the oracle answers from gold: its figures are no model's"


def is_oracle(name: str | None) -> bool:
    """Return whether a reader's name means the oracle, not a model of a provider."""
    return (name or "").strip().partition(":")[0] == ORACLE
