"""Calls, tokens, seconds and dollars, in total and by node."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from hoptrail.core.types.record import JsonDict, Record


@dataclass(frozen=True, slots=True)
class NodeUsage(Record):
    """Calls, tokens, time and money that one node of the graph spent.

    Tokens are those of chat models; what a served embedder or reranker took has fields of its own.
    `usd` has all of it, but for `unpriced_calls`: calls of models whose price is not known.
    """

    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    usd: float = 0.0
    embedding_calls: int = 0
    embedding_tokens: int = 0
    unpriced_calls: int = 0
    rerank_calls: int = 0

    def __add__(self, other: NodeUsage) -> NodeUsage:
        return NodeUsage(**_sums(self, other))

    def brief(self) -> JsonDict:
        """Return what `from_json` reads, without what nothing was spent of."""
        return {name: spent for name, spent in self.to_json().items() if spent}


@dataclass(frozen=True, slots=True)
class Usage(Record):
    """The sum over nodes; `seconds` is wall-clock time of the whole run."""

    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    usd: float = 0.0
    embedding_calls: int = 0
    embedding_tokens: int = 0
    unpriced_calls: int = 0
    rerank_calls: int = 0
    by_node: dict[str, NodeUsage] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, node: str, spent: NodeUsage) -> Usage:
        """Return a usage that also counts what `node` spent."""
        by_node = dict(self.by_node)
        by_node[node] = by_node.get(node, NodeUsage()) + spent
        return Usage(**_sums(self, spent), by_node=by_node)


def _sums(one: NodeUsage | Usage, other: NodeUsage) -> dict[str, Any]:
    names = [each.name for each in fields(NodeUsage)]
    return {name: getattr(one, name) + getattr(other, name) for name in names}
