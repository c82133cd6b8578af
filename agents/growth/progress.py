"""The outcome of a question's calls: facts with their quotes, and what stays open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hoptrail.agents.verification.verifier import Verification
from hoptrail.core.text import name_key
from hoptrail.core.types import Chunk, Evidence, Hit, Record, TrailHop
from hoptrail.core.types.draft import Draft, HopClaim, Pattern


@dataclass(frozen=True, slots=True)
class Progress(Record):
    """The state of knowledge before a further call.

    `facts` are hops that quotes bear out, in the order of their finding; `claims` are those of
    the last reply that name a passage and that no quote bears out; `cited` are the ids of the
    passages that any reply named for such a claim; `still_open` is what the next call is to
    find; `shown` are the ids of the passages that some call has read; `names` are the keys of
    what facts and claims have named so far; `whole` are the ids of passages of facts that bear on
    what is open, too; `proposed` are the answers of the last reply, which nothing bears out.
    """

    facts: tuple[TrailHop, ...] = ()
    cited: tuple[str, ...] = ()
    still_open: tuple[Pattern, ...] = ()
    shown: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    claims: tuple[HopClaim, ...] = ()
    whole: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()

    @property
    def told(self) -> frozenset[str]:
        """The ids of the passages that replies have named, or that a fact quotes."""
        quoted = (fact.chunk_id for fact in self.facts if fact.chunk_id)
        return frozenset((*self.cited, *quoted))


def advance(before: Progress, draft: Draft, verdict: Verification) -> Progress:
    """Return what is known after a reply; which passages were read is left as it was.

    An answer of another kind than the question asks for is proposed to nobody.

    Args:
        before: What was known before it.
        draft: The reply.
        verdict: Its verification.
    """
    hops = verdict.trail.hops
    facts = with_facts(before.facts, hops)
    return Progress(
        facts,
        cited_passages(before.cited, draft.hops, facts),
        open_facts(draft, hops),
        before.shown,
        named_by(facts, draft.hops),
        claims_beside(draft.hops, facts),
        proposed=() if verdict.of_other_kind else draft.answers,
    )


def with_facts(known: Sequence[TrailHop], hops: Sequence[TrailHop]) -> tuple[TrailHop, ...]:
    """Return the facts with those hops of a trail that a quote bears out, each once."""
    facts = {_key(fact): fact for fact in known}
    for hop in hops:
        if hop.support != "none" and hop.quote:
            facts.setdefault(_key(hop), hop)
    return tuple(facts.values())


def cited_passages(
    known: Sequence[str], claims: Sequence[HopClaim], facts: Sequence[TrailHop]
) -> tuple[str, ...]:
    """Return the passages that claims name, those left out that a fact quotes."""
    quoted = {fact.chunk_id for fact in facts}
    named = [*known, *(claim.chunk_id for claim in claims if claim.chunk_id)]
    return tuple(dict.fromkeys(one for one in named if one not in quoted))


def claims_beside(claims: Sequence[HopClaim], facts: Sequence[TrailHop]) -> tuple[HopClaim, ...]:
    """Return the claims that name a passage, those left out that a fact says."""
    known = {_ends(fact) for fact in facts}
    return tuple(one for one in claims if one.chunk_id and _ends(one) not in known)


def named_by(facts: Sequence[TrailHop], claims: Sequence[HopClaim]) -> tuple[str, ...]:
    """Return the keys of what facts, and claims that name a passage, are about, each once."""
    ends = [end for fact in facts for end in (fact.subject, fact.object)]
    ends += [end for one in claims if one.chunk_id for end in (one.subject, one.object)]
    return tuple(dict.fromkeys(filter(None, map(name_key, ends))))


def leads_on(question: str, before: Progress, names: Sequence[str]) -> bool:
    """Return whether a call has named something that neither the question nor a call before did.

    Only from such a name can a search find what the searches before it could not.
    """
    asked = f" {name_key(question)} "
    known = frozenset(before.names)
    return any(name not in known and f" {name} " not in asked for name in names)


def open_facts(draft: Draft, hops: Sequence[TrailHop]) -> tuple[Pattern, ...]:
    """Return what a draft leaves open: its open patterns, else the hops that nothing bears out."""
    if draft.still_open:
        return draft.still_open
    unfounded = (hop for hop in hops if hop.support == "none")
    return tuple(Pattern(hop.subject, hop.predicate, hop.object) for hop in unfounded)


def cut_to_quotes(evidence: Evidence, progress: Progress) -> Evidence:
    """Return the evidence with the passages of the facts cut to their quotes, and placed first.

    They stand in the order of the facts. One that states a fact in part, or that a claim names as
    well, stays whole, for its sentence is still to be found, and so does one that bears on what is
    open.
    """
    quotes: dict[str, list[str]] = {fact.chunk_id or "": [] for fact in progress.facts}
    for fact in sorted(progress.facts, key=lambda fact: fact.start or 0):
        told = quotes[fact.chunk_id or ""]
        if fact.quote and fact.quote not in told:
            told.append(fact.quote)
    unsure = (fact.chunk_id for fact in progress.facts if fact.support != "stated")
    whole = {*unsure, *(claim.chunk_id for claim in progress.claims), *progress.whole}
    hits = {hit.item.id: hit for hit in evidence.chunks}
    first = [hits[chunk_id] for chunk_id in quotes if chunk_id in hits]
    cut = [hit if hit.item.id in whole else _cut(hit, quotes[hit.item.id]) for hit in first]
    rest = [hit for hit in evidence.chunks if hit.item.id not in quotes]
    return Evidence(chunks=(*cut, *rest))


def facts_text(progress: Progress, labels: Mapping[str, str]) -> str:
    """Return what is known as a prompt shows it: what is established, to be checked, and open.

    Args:
        progress: What is known.
        labels: Chunk ids by the labels of the shown passages.
    """
    label_of = {chunk_id: label for label, chunk_id in labels.items()}
    established: list[str] = []
    to_check: list[str] = []
    for fact in progress.facts:
        lines = established if fact.support == "stated" else to_check
        lines.append(_line(fact, label_of.get(fact.chunk_id or "", "-")))
    claims = [one for one in progress.claims if one.chunk_id in label_of]
    to_check += [_line(one, label_of[one.chunk_id or ""]) for one in claims]
    claimed = {_ends(claim) for claim in claims}
    rest = [
        one
        for one in progress.still_open
        if (one.subject.casefold(), one.object.casefold()) not in claimed
    ]
    # A fact with both ends known was told without any passage.
    to_check += [_line(one, "-") for one in rest if not one.variables]
    to_check += [f"- the answer to the question | is | {one} | -" for one in progress.proposed]
    still_open = [_line(one) for one in rest if one.variables]
    lines = ["Established:", *(established or ["- nothing yet"])]
    if to_check:
        lines += ["To be checked:", *to_check]
        still_open = still_open or ["- nothing else"]
    return "\n".join([*lines, "Open:", *(still_open or ["- the question itself"])])


def _line(fact: TrailHop | HopClaim | Pattern, label: str = "") -> str:
    parts = (fact.subject, fact.predicate, fact.object, label)
    return f"- {' | '.join(filter(None, parts))}"


def _cut(hit: Hit[Chunk], quotes: Sequence[str]) -> Hit[Chunk]:
    return replace(hit, item=replace(hit.item, text=" ".join(quotes), tokens=0), hop=None)


def _key(hop: TrailHop) -> tuple[str, str, str | None]:
    return *_ends(hop), hop.quote


def _ends(hop: TrailHop | HopClaim) -> tuple[str, str]:
    return hop.subject.casefold(), hop.object.casefold()
