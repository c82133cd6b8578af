"""Forecast of the reports on the communities, before any money is spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from hoptrail.core.progress import NoProgress
from hoptrail.core.settings import Price
from hoptrail.core.types import Community, NodeUsage
from hoptrail.indexing.communities.materials import LevelMaterials
from hoptrail.indexing.communities.model_reports import ReportGuide, estimate_call
from hoptrail.indexing.communities.outcome import CommunityForecast
from hoptrail.indexing.communities.reporting import (
    ReportStage,
    relations_for_prompt,
    reports_by_parent,
    settled_keys,
)
from hoptrail.indexing.embedding_forecast import (
    EmbeddingForecast,
    forecast_embedding,
    without_vectors,
)
from hoptrail.stores.knowledge_base import KnowledgeBase

REPORT_VECTOR_TOKENS = 120
"""Tokens of what is embedded of a report, about: its title and summary."""
_SECONDS_PER_CALL = 0.5
_SECONDS_PER_COMPLETION_TOKEN = 0.005


def forecast_reports(
    kb: KnowledgeBase,
    guide: ReportGuide | None,
    *,
    original: KnowledgeBase,
    remote_embedder: str | None = None,
    prices: Mapping[str, Price] | None = None,
) -> CommunityForecast:
    """Return what the missing reports of the present hierarchy, and their vectors, would take.

    It writes reports without a model, which stand for those that do not exist yet in the prompts
    of the levels above, and among the texts that get vectors: give it a `private_copy`.

    Args:
        kb: The copy, clustered.
        guide: The model and how it is asked; None to write without one.
        original: The base, which has the vectors that the copy lacks.
        remote_embedder: Name of the embedder where it is one that is called.
        prices: Those of the settings.
    """
    settled = settled_keys(kb, guide)
    if guide is not None or remote_embedder is not None:
        ReportStage(kb, None, NoProgress()).run()
    spent, rewritten = NodeUsage(), list[str]()
    for community, usage in () if guide is None else _asked(kb, guide, settled):
        spent += usage
        rewritten.append(f"{community.title}\n{community.summary}")
    embedding = EmbeddingForecast()
    if remote_embedder is not None:
        texts = chain(without_vectors(original, kb.texts_without_vectors()), rewritten)
        embedding = forecast_embedding(texts, remote_embedder, prices or {})
    is_priced = guide is None or guide.price is not None or spent.llm_calls == 0
    usd = spent.usd + embedding.usd if is_priced and embedding.usd is not None else None
    concurrency = 1 if guide is None else guide.options.concurrency
    replies = spent.completion_tokens * _SECONDS_PER_COMPLETION_TOKEN
    seconds = (spent.llm_calls * _SECONDS_PER_CALL + replies) / concurrency
    return CommunityForecast(
        communities=sum(level.communities for level in kb.community_levels()),
        calls=spent.llm_calls,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        usd=None if usd is None else round(usd, 8),
        minutes=round(seconds / 60, 2),
        embedding=embedding,
    )


def _asked(
    kb: KnowledgeBase, guide: ReportGuide, settled: set[str]
) -> Iterator[tuple[Community, NodeUsage]]:
    """Yield the communities that the model is asked about, with about what each call takes."""
    keys, index = kb.community_keys(), kb.unpublished_community_index()
    most = relations_for_prompt(guide.options)
    for level in kb.community_levels():
        materials = LevelMaterials(kb, index, level.level, most_relations=most)
        reports = reports_by_parent(kb.communities(level.level + 1))
        pending = [c for c in kb.communities(level.level) if keys[c.id] not in settled]
        asked = [c for c in pending if materials.relation_count(c)]
        for material in materials.of(asked, reports):
            if material.tells_something:
                yield material.community, estimate_call(material, guide)
