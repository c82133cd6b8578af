"""Calls, tokens, seconds and dollars, in total and by node."""

from __future__ import annotations

from dataclasses import dataclass, field

from hoptrail.core.types.record import Record


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
        return NodeUsage(
            self.llm_calls + other.llm_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
            self.usd + other.usd,
            self.embedding_calls + other.embedding_calls,
            self.embedding_tokens + other.embedding_tokens,
            self.unpriced_calls + other.unpriced_calls,
            self.rerank_calls + other.rerank_calls,
        )


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
        return Usage(
            self.llm_calls + spent.llm_calls,
            self.prompt_tokens + spent.prompt_tokens,
            self.completion_tokens + spent.completion_tokens,
            self.seconds + spent.seconds,
            self.usd + spent.usd,
            self.embedding_calls + spent.embedding_calls,
            self.embedding_tokens + spent.embedding_tokens,
            self.unpriced_calls + spent.unpriced_calls,
            self.rerank_calls + spent.rerank_calls,
            by_node,
        )
