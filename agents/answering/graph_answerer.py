"""Answers that the graph gives: from its relation paths, and with a trail for the graph LLM's."""

from __future__ import annotations

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.trail_builder import build_trails
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.core.reply_conventions import is_abstention
from hoptrail.core.types import AbstainReason, Evidence, Relation
from hoptrail.core.types.draft import Draft, HopClaim
from hoptrail.models.graph_llm.example import reply_answers

CHANNEL = "relation_path"


def answer_from_paths(question: str, evidence: Evidence) -> Draft:
    """Return all entities at the end of the best relation path, with the relations on the way.

    The answer is a set: it is given whole, best first. Where no path was matched, or the question
    names nothing that one begins with, the draft abstains.

    Args:
        question: The standalone question.
        evidence: What the retriever `relation_path` found.
    """
    entities = [hit for hit in evidence.entities if hit.channel == CHANNEL]
    if not any(hit.provenance[1:] for hit in entities):  # the name that the question has
        is_unknown = bool(entities and proper_names(question))
        reason: AbstainReason = "not_in_knowledge_base" if is_unknown else "no_evidence"
        return Draft("graph_search", reason=reason)
    hops: dict[str, HopClaim] = {}
    for hit in evidence.paths:
        if hit.channel == CHANNEL:
            hops.update((relation.id, relation_claim(relation)) for relation in hit.item.relations)
    return Draft(
        "graph_search",
        answers=tuple(dict.fromkeys(hit.item.name for hit in entities)),
        hops=tuple(hops.values()),
        score=entities[0].score,
    )


def relation_claim(relation: Relation) -> HopClaim:
    """Return what a relation says, in the first passage that supports it."""
    chunk_id = relation.chunk_ids[0] if relation.chunk_ids else None
    return HopClaim(relation.subject, relation.predicate, relation.object, chunk_id, relation.id)


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
