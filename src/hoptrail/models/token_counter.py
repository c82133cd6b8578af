"""Counts tokens with the model's own tokenizer if that is loaded, never with a download."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.core.tokens import TokenCounter, estimate_tokens

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def token_counter_for(model: BaseChatModel | None) -> TokenCounter:
    """Return the counter of a local model's loaded tokenizer, else the estimate.

    LangChain's `get_num_tokens` is not used: it downloads vocabularies.
    """
    tokenizer: Any = getattr(model, "tokenizer", None)
    if tokenizer is None or not callable(getattr(tokenizer, "encode", None)):
        return estimate_tokens

    def count(text: str) -> int:
        return len(tokenizer.encode(text))

    return count
