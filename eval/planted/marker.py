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
    """Return the mark of a claim as a step of an answer whose only evidence is its passage."""
    text = claim.passage
    chunk = Chunk(
        Chunk.make_id(claim.doc_id, 0, len(text), text),
        claim.doc_id,
        claim.title,
        text,
        0,
        len(text),
    )
    hop = HopClaim(claim.subject, claim.predicate, claim.object, chunk.id)
    # A derived answer stands on its steps alone: no other steps are looked for.
    draft = Draft("plain", (claim.object,), hops=(hop,), derived=True)
    marked = verify(draft, "", "bridge", Evidence(chunks=(Hit(chunk),))).trail.hops[0]
    # Trails of two states tell only whether a step is supported.
    support: Mark | None = getattr(marked, "support", None)
    return support or ("stated" if marked.supported else "none")
