"""Forecast of the reports on the communities, before any money is spent."""

from __future__ import annotations

from hoptrail.core.progress import NoProgress
from hoptrail.core.types import NodeUsage
from hoptrail.indexing.communities.materials import LevelMaterials
from hoptrail.indexing.communities.model_reports import ReportGuide, estimate_call
from hoptrail.indexing.communities.outcome import CommunityForecast
from hoptrail.indexing.communities.reporting import (
    ReportStage,
    relations_for_prompt,
    reports_by_parent,
    settled_keys,
)
from hoptrail.stores.knowledge_base import KnowledgeBase

_SECONDS_PER_CALL = 0.5
_SECONDS_PER_COMPLETION_TOKEN = 0.005


def forecast_reports(kb: KnowledgeBase, guide: ReportGuide | None) -> CommunityForecast:
    """Return what the missing reports of the present hierarchy would take.

    It writes reports without a model, which stand for those that do not exist yet in the prompts
    of the levels above: give it a `private_copy`.
    """
    settled = settled_keys(kb, guide)
    spent = NodeUsage() if guide is None else _usage(kb, guide, settled)
    is_priced = guide is None or guide.price is not None or spent.llm_calls == 0
    concurrency = 1 if guide is None else guide.options.concurrency
    replies = spent.completion_tokens * _SECONDS_PER_COMPLETION_TOKEN
    seconds = (spent.llm_calls * _SECONDS_PER_CALL + replies) / concurrency
    return CommunityForecast(
        communities=sum(level.communities for level in kb.community_levels()),
        calls=spent.llm_calls,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        usd=round(spent.usd, 8) if is_priced else None,
        minutes=round(seconds / 60, 2),
    )


def _usage(kb: KnowledgeBase, guide: ReportGuide, settled: set[str]) -> NodeUsage:
    ReportStage(kb, None, NoProgress()).run()
    keys, index = kb.community_keys(), kb.unpublished_community_index()
    most = relations_for_prompt(guide.options)
    spent = NodeUsage()
    for level in kb.community_levels():
        materials = LevelMaterials(kb, index, level.level, most_relations=most)
        reports = reports_by_parent(kb.communities(level.level + 1))
        pending = [c for c in kb.communities(level.level) if keys[c.id] not in settled]
        asked = [c for c in pending if materials.relation_count(c)]
        for material in materials.of(asked, reports):
            spent += estimate_call(material, guide)
    return spent
