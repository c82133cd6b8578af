"""Community reports as tools: those that a question needs, and what stands behind them."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from hoptrail.core.embedding import IntArray
from hoptrail.core.question import check_question
from hoptrail.core.render import render, report_block
from hoptrail.core.text import flat
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Community, Evidence, Hit
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.graphrag import (
    ScoredHierarchy,
    read_reports,
    read_sources,
    select_rows,
)
from hoptrail.stores.knowledge_source import Focus, KnowledgeSource

_SHOWN_TOKENS = 2_000
"""Most tokens that a model is shown; the whole Evidence is the artifact."""
_MOST_AT_ONCE = 50  # reports
_READ_AT_ONCE = 6_000  # tokens


class SelectionArguments(BaseModel):
    """Arguments of `select_communities`."""

    question: str = Field(description="The question that the reports are for.")
    level: int | None = Field(
        None, ge=0, description="Level of the hierarchy, 0 is the coarsest; none: by the question."
    )
    prefilter: bool = Field(True, description="Whether to skip parts that are of no relevance.")
    tokens: int | None = Field(
        None, ge=0, description="Most tokens of all reports together, the nearest first; none: all."
    )


class ReportArguments(BaseModel):
    """Arguments of `read_reports`."""

    report_ids: list[str] = Field(description="Ids of communities.")


def make_community_tools(kb: KnowledgeSource) -> tuple[BaseTool, ...]:
    """Return the tools `select_communities` and `read_reports`; their artifacts are Evidence.

    A selection holds reports alone, those nearest to the question first. What is read holds the
    relations and passages behind the reports' findings as well.
    """

    def select(
        question: str, level: int | None, prefilter: bool, tokens: int | None
    ) -> tuple[str, Evidence]:
        text = check_question(question)
        vector = kb.embed_query(text)
        with kb.view(Focus((text,), vector)) as view:
            hits = _hits(view, ScoredHierarchy.of(view, text, vector), level, prefilter)
        found = Evidence(reports=hits if tokens is None else _within(hits, tokens))
        return "\n".join(_line(hit.item) for hit in found.reports) or "No report was found.", found

    def read(report_ids: list[str]) -> tuple[str, Evidence]:
        found = read_sources(kb.store, report_ids)
        return render(found, _SHOWN_TOKENS).text or "No community has such an id.", found

    return (
        StructuredTool.from_function(
            select,
            name="select_communities",
            description="Choose the reports that a question about the whole collection needs.",
            args_schema=SelectionArguments,
            response_format="content_and_artifact",
        ),
        StructuredTool.from_function(
            read,
            name="read_reports",
            description="Read reports with the relations and passages behind them.",
            args_schema=ReportArguments,
            response_format="content_and_artifact",
        ),
    )


def _hits(
    view: View, scored: ScoredHierarchy, level: int | None, prefilter: bool
) -> tuple[Hit[Community], ...]:
    """Return the reports to read: the relevant ones, or all where one call reads them with ease."""
    everything = select_rows(scored, level, prefilter=False)
    if not prefilter or len(everything) <= _MOST_AT_ONCE:
        hits = _read(view, scored, everything)
        if not prefilter or sum(map(_tokens, hits)) <= _READ_AT_ONCE:
            return hits
    return _read(view, scored, select_rows(scored, level, prefilter=True))


def _read(view: View, scored: ScoredHierarchy, rows: IntArray) -> tuple[Hit[Community], ...]:
    scores = {
        str(scored.communities.ids[row]): round(float(scored.relevance[row]), 5)
        for row in rows.tolist()
    }
    found = read_reports(view.store, list(scores))
    return tuple(Hit(report, scores[report.id], "hierarchy") for report in found)


def _within(hits: Sequence[Hit[Community]], tokens: int) -> tuple[Hit[Community], ...]:
    """Return the first reports that fit, but at least one."""
    kept: list[Hit[Community]] = []
    for hit in hits:
        tokens -= _tokens(hit)
        if kept and tokens < 0:
            break
        kept.append(hit)
    return tuple(kept)


def _tokens(hit: Hit[Community]) -> int:
    return estimate_tokens(report_block(hit.item))


def _line(report: Community) -> str:
    return f"- level {report.level}: {flat(report.title)}"
