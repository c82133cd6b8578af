"""Answer who or what a named thing is, and what an abbreviation stands for, by what says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.evidence.sentence_graph import Fact, SentenceGraph
from hoptrail.agents.language.abbreviations import abbreviations_in
from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.capitalised_names import capitalised_spans
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import STANDS_FOR, Draft, HopClaim, Pattern

_ASKS = re.compile(
    r"(?:who|what)(?:\s(?P<verb>is|was|are|were)|['’]s)\s(?P<article>the\s|an?\s)?"
    r"(?P<name>[^?\s](?:[^?]{0,98}[^?\s])?)\s?\?{0,3}",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?:\s\([^()]{1,120}\))?(?:,[^,;.]{1,80},)?\s(?P<verb>is|was|are|were)\s"
    r"(?P<told>(?:an?|the|one\sof|(?:his|her|its|their|our|my)|[A-Z][\w’'-]{1,30}['’]s)\s.{2,200})",
    re.DOTALL,
)
_PRONOUN = re.compile(r"(?:he|she|it|they)(?=\s)", re.IGNORECASE)
_END = re.compile(
    r"[;:]|[.!?](?=\s|$)|,|\s(?:who|whom|which|that|whose|where|when|while|but|because)\s"
    r"|\sand\s(?=(?:he|she|it|they|is|was|are|were|has|have|had|[a-z]{2,20}ed)\s)|\s[–—-]\s"
)


def define(question: str, graph: SentenceGraph) -> Draft | None:
    """Return what the documents call a thing, for a question that asks no more than what it is.

    Where "Who is Ann Holt?" finds no such sentence the draft abstains: her place of birth is not
    what she is, nor what the Alder Yard is who founded it. None where the question asks something
    else: "Who was the Mayor of Alding?" may ask for a name, and does where nothing says what the
    mayor was.
    """
    asks = _ASKS.fullmatch(question.strip())
    if asks is None:
        return None
    name = asks["name"]
    if capitalised_spans(f"of {name}") != ((3, 3 + len(name)),):
        return None
    claim = next(_definitions(name, graph), None)
    if claim is not None:
        return Draft("graph_search", (claim.object,), hops=(claim,), reserve="")
    may_ask_for_name = question.lstrip().lower().startswith("who") or " " not in name
    if asks["article"] and may_ask_for_name:
        return None
    missing = Pattern(name, asks["verb"] or "is", "?answer")
    return Draft(
        "graph_search", reason="unresolved_variable", unresolved="?answer", missing=missing
    )


def _definitions(name: str, graph: SentenceGraph) -> Iterator[HopClaim]:
    """Yield what sentences say that a thing is."""
    key = graph.canonical(name_key(name))
    for fact in graph.facts_about(key):
        if fact.sentence is None:
            continue
        for end in _ends_of_subject(fact, key):
            said = _SAYS.match(fact.text, end)
            if said is None or not is_asserted(fact.text, said.start("told"), said.start("told")):
                continue
            told = _END.split(said["told"], maxsplit=1)[0].strip()
            if len(told.split()) > 1:
                yield HopClaim(name, said["verb"], told, fact.sentence.chunk.id)


def _ends_of_subject(fact: Fact, key: str) -> Iterator[int]:
    """Yield where a sentence has the thing as what it may begin to tell of."""
    for mention in fact.mentions:
        if mention.key == key:
            yield mention.end
    pronoun = _PRONOUN.match(fact.text)
    if pronoun and fact.topic == key and fact.spells_topic:
        yield pronoun.end()


_ASKS_LONG = re.compile(
    r"\W{0,3}(?:what\s(?:do|does|did)\s(?:the\s)?(?:abbreviations?\s|letters\s|code\s|acronym\s)?"
    r"(?P<a>[^\s?]{1,12})\s(?:mean|stand\sfor|denote)"
    r"|what(?:\sis|['’]s|\sare)\s(?:the\smeaning\sof\s|meant\sby\s)?(?:an?\s)?"
    r"(?P<b>[^\s?]{1,12})(?:\s(?:short|an\sabbreviation)\sfor)?)\W{0,3}",
    re.IGNORECASE,
)
_ASKS_SHORT = re.compile(
    r"\W{0,3}what\sis\sthe\s(?:abbreviation|acronym|short\sform)\s(?:for|of)\s(?P<long>[^?]{2,80}?)\W{0,3}",
    re.IGNORECASE,
)


def find_abbreviation(question: str, index: EvidenceIndex) -> Draft | None:
    """Return what a short form stands for, or the short form, None where no passage explains it.

    Where passages explain it differently, all that they say is told.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    asks_long, asks_short = _ASKS_LONG.fullmatch(question), _ASKS_SHORT.fullmatch(question)
    if asks_long is None and asks_short is None:
        return None
    short = (asks_long["a"] or asks_long["b"]).strip("\"'“”‘’.") if asks_long else ""
    long = name_key(asks_short["long"]) if asks_short else ""
    claims: dict[str, HopClaim] = {}
    for chunk in index.chunks.values():
        for one in abbreviations_in(chunk.text):
            claim = HopClaim(one.short, STANDS_FOR, one.long, chunk.id)
            if short and one.short.strip(".") == short:
                claims.setdefault(name_key(one.long), claim)
            if long and name_key(one.long) == long:
                claims.setdefault(one.short, claim)
    if not claims:
        return None
    hops = tuple(claims.values())
    answers = tuple(hop.object if short else hop.subject for hop in hops)
    return Draft("graph_search", answers, hops=hops, reserve="")
