"""Put what the graph search found into words: answers and the claims of the trail."""

from __future__ import annotations

import re

from hoptrail.agents.answer_types import focus_of
from hoptrail.agents.draft import HopClaim
from hoptrail.agents.mentions import Mention
from hoptrail.agents.sentence_graph import Fact, SentenceGraph
from hoptrail.agents.step_solver import Candidate
from hoptrail.core.text import name_key

_LONGEST_PREDICATE_WORDS = 7


def answer_text(question: str, mention: Mention, graph: SentenceGraph) -> str:
    """Return the spelling of an answer: a name in full, only the year where a year is asked."""
    if mention.kind == "date" and focus_of(question).noun == "year":
        year = re.search(r"\b\d{4}\b", mention.text)
        return year.group() if year else mention.text
    if mention.kind in {"date", "number"}:
        return mention.text
    name = graph.name(mention.key)
    return name if name_key(name) == mention.key and mention.key in graph.names else mention.text


def claim_of(origin: str, link: Candidate, graph: SentenceGraph) -> HopClaim:
    """Return a link as a claim in the words of its fact."""
    relation, sentence = link.fact.relation, link.fact.sentence
    if relation is not None:
        return HopClaim(relation.subject, relation.predicate, relation.object, None, relation.id)
    chunk_id = sentence.chunk.id if sentence else None
    subject, between, object_ = _in_text_order(origin, link, graph)
    return HopClaim(subject, between, object_, chunk_id)


def _in_text_order(origin: str, link: Candidate, graph: SentenceGraph) -> tuple[str, str, str]:
    fact, found = link.fact, link.mention
    answer = answer_text("", found, graph)
    here = _mention_of(origin, fact)
    if here is None:
        start = max(0, fact.text.rfind(". ", 0, found.start))
        return graph.name(origin), _predicate(fact.text[start : found.start]), answer
    if found.start >= here.end:
        return graph.name(origin), _predicate(fact.text[here.end : found.start]), answer
    return answer, _predicate(fact.text[found.end : here.start]), graph.name(origin)


def _mention_of(key: str, fact: Fact) -> Mention | None:
    return next((mention for mention in fact.mentions if mention.key == key), None)


def _predicate(between: str) -> str:
    plain = re.sub(r"\([^()]*\)", " ", between)
    plain = re.sub(r"^\W*(?:He|She|It|They|His|Her|Its|Their)\b", "", plain)
    kept = re.findall(r"[\w'’-]+", plain)
    return " ".join(kept[-_LONGEST_PREDICATE_WORDS:])
