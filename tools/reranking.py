"""The reranker of a retrieval tool: chosen by name, of those that the settings list."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from hoptrail.core.settings import Settings
from hoptrail.models.reranker import chosen_reranker, load_reranker

RERANKER: Any = Field(
    None,
    description="Model that orders the passages anew; by default that of the settings, `none` for "
    "none.",
)
"""The argument of a tool that finds passages."""


def order_fields(name: str | None, settings: Settings | None) -> dict[str, Any]:
    """Return the fields of a retriever that say how its passages are ordered.

    Args:
        name: As a call gives it.
        settings: Of the knowledge base; None where it has none, and so no reranker.

    Raises:
        SettingsError: If the name is not listed, or no reranker is found under it.
        ModelKeyError: If its key is missing.
    """
    chosen = None if settings is None else chosen_reranker(name, settings)
    if settings is None or chosen is None:
        return {}
    return {
        "reranker": load_reranker(chosen, settings),
        "reranked": settings.reranker_candidates,
    }
