"""Presets: published methods and baselines as choices of the one state machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from hoptrail.core.errors import UnknownNameError
from hoptrail.core.types import QuestionType, Strategy
from hoptrail.graphs.context import Context

Search = Literal["once", "by_keyword", "by_sub_question", "by_path"]


def _strategies(
    bridge: Strategy, comparison: Strategy, inference: Strategy
) -> Mapping[QuestionType, Strategy]:
    return MappingProxyType(
        {"bridge": bridge, "comparison": comparison, "inference": inference, "global": inference}
    )


def _always(strategy: Strategy) -> Mapping[QuestionType, Strategy]:
    return _strategies(strategy, strategy, strategy)


@dataclass(frozen=True, slots=True)
class Preset:
    """One configuration.

    `retriever` is None where nothing is read, and `graph_retriever` takes its place on a graph
    without passages. `strategies` is the prompt by question type,
    `alternatives` the retry after an abstention and `rounds` the number of targeted retrievals
    after that: without a model they cost little. `search` is how evidence is gathered: at once, by
    keywords of two levels, sub-question by sub-question, or along paths that are judged. `choices`
    are context fields that the preset sets where a request does not.
    """

    name: str
    retriever: str | None
    compress: bool
    needs_model: bool
    strategies: Mapping[QuestionType, Strategy]
    alternatives: Mapping[Strategy, Strategy] = field(default_factory=dict)
    rounds: int = 1
    graph_retriever: str | None = None
    search: Search = "once"
    choices: Mapping[str, Any] = field(default_factory=dict)

    def complete(self, context: Context) -> Context:
        """Return the context with the preset's choices where it leaves them open."""
        is_open = self.choices.keys() - context.model_fields_set
        return context.model_copy(update={name: self.choices[name] for name in sorted(is_open)})


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            # KET-RAG, graph walk and routed prompts: "Reasoning over Graph-RAG", chapter 3.
            Preset(
                name="reasoning",
                retriever="ket",
                compress=True,
                needs_model=True,
                strategies=_strategies("sparql", "generic", "generic"),
                alternatives=MappingProxyType({"sparql": "generic", "generic": "sparql"}),
            ),
            # Sub-questions, each with its own subgraph: "DAGR", sections 3 and 4.
            Preset(
                name="dagr",
                retriever="dagr",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=0,
                search="by_sub_question",
                choices=MappingProxyType({"temperature": 0.0}),
            ),
            # Paths from the question's concepts, judged round by round: "DotRAG", section 4.
            Preset(
                name="dotrag",
                retriever="dot",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=0,
                search="by_path",
                choices=MappingProxyType({"max_model_calls": 32, "max_tokens": 300_000}),
            ),
            # Keywords of two levels: Guo et al., "LightRAG", 2024, as source 000 uses it.
            Preset(
                name="lightrag",
                retriever="lightrag",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=0,
                search="by_keyword",
            ),
            # Paths pruned by flow: Chen et al., "PathRAG", 2025, a baseline of DotRAG.
            Preset(
                name="pathrag",
                retriever="pathrag",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=0,
                search="by_keyword",
            ),
            # Seeds, candidates and the best edges of them all: "Graph-augmented LLaMA", section 3.
            Preset(
                name="multistage",
                retriever="multistage",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=0,
            ),
            Preset(
                name="vector",
                retriever="vector",
                compress=False,
                needs_model=True,
                strategies=_always("plain"),
                rounds=0,
            ),
            # What the model knows by itself: the floor that retrieval has to beat.
            Preset(
                name="closed_book",
                retriever=None,
                compress=False,
                needs_model=True,
                strategies=_always("closed_book"),
                rounds=0,
            ),
            # All passages that a long context holds, unsorted: the price of not retrieving.
            Preset(
                name="full_context",
                retriever="full",
                compress=False,
                needs_model=True,
                strategies=_always("plain"),
                rounds=0,
                choices=MappingProxyType({"budget": 100_000, "max_tokens": 250_000}),
            ),
            Preset(
                name="offline",
                retriever="ket",
                graph_retriever="relation_path",
                compress=False,
                needs_model=False,
                strategies=_always("graph_search"),
                rounds=3,
            ),
        )
    }
)
PRESET_NAMES = ("auto", *PRESETS)


def resolve_preset(name: str, *, has_model: bool) -> Preset:
    """Return the preset; `auto` is `reasoning` with a model and `offline` without.

    Raises:
        UnknownNameError: If there is no preset of that name.
    """
    if name == "auto":
        name = "reasoning" if has_model else "offline"
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESET_NAMES)
    return PRESETS[name]
