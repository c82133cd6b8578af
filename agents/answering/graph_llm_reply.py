"""Read the graph LLM's reply: answers alone, for which the graph has to give the trail."""

from __future__ import annotations

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.trail_builder import build_trails
from hoptrail.core.reply_conventions import is_abstention
from hoptrail.core.types import Evidence
from hoptrail.core.types.draft import Draft
from hoptrail.models.graph_llm.example import reply_answers


def draft_from_graph(question: str, reply: str, evidence: Evidence) -> Draft:
    """Return the answers of a reply with a chain of facts to each that has one.

    An empty reply is an abstention. An answer that is no node of the graph, or to which nothing
    leads, has no chain, and so nothing that bears it out.

    Args:
        question: As it was asked.
        reply: Answers joined by "; ".
        evidence: What the model was shown.
    """
    answers = graph_answers(reply)
    if not answers:
        return Draft("graph_llm", reason="no_evidence", raw=reply)
    hops = build_trails(question, answers, EvidenceIndex(evidence))
    return Draft("graph_llm", answers=answers, hops=hops, raw=reply)


def graph_answers(reply: str) -> tuple[str, ...]:
    """Return the answers of a reply, none for an abstention."""
    return tuple(answer for answer in reply_answers(reply) if not is_abstention(answer))
