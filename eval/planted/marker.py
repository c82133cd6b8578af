"""The mark that the trail of a real answer gives to a claim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import Draft, HopClaim
from hoptrail.eval.planted.claim import PassageClaim

Mark = Literal["stated", "partly", "none"]
Marker = Callable[[PassageClaim], Mark]
"""Returns how far a claim's passage states it. The kind of the claim is not told."""


def mark_as_trail(claim: PassageClaim) -> Mark:
    """Return the mark of a claim as a step of an answer whose only evidence is its passage.

    A claim that is read with another passage is "stated" where the answer is a plain one: no claim
    is doubted there, but what they come to.
    """
    passages = [claim] if claim.beside is None else [claim.beside, claim]
    chunks = [_chunk(one) for one in passages]
    hops = tuple(
        HopClaim(one.subject, one.predicate, one.object, chunk.id)
        for one, chunk in zip(passages, chunks, strict=True)
        if one.subject
    )
    # A derived answer stands on its steps alone: no other steps are looked for.
    draft = Draft("plain", (claim.object,), hops=hops, derived=claim.beside is None)
    evidence = Evidence(chunks=tuple(map(Hit, chunks)))
    verdict = verify(draft, "", "bridge", evidence)
    if claim.beside is not None:
        return "partly" if verdict.reserve else "stated"
    return verdict.trail.hops[0].support


def _chunk(claim: PassageClaim) -> Chunk:
    text = claim.passage
    id_ = Chunk.make_id(claim.doc_id, 0, len(text), text)
    return Chunk(id_, claim.doc_id, claim.title, text, 0, len(text))
