"""True claims in trails that do not hold: unjoined steps, a value that a later text changes."""

from __future__ import annotations

import random
from dataclasses import replace

from hoptrail.eval.planted.changed_claims import changed_number
from hoptrail.eval.planted.claim import PassageClaim
from hoptrail.eval.planted.corpus import ClaimCorpus
from hoptrail.eval.planted.texts import hints_at


def unjoined(claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random) -> PassageClaim | None:
    """Put the claim of another passage before it, which shares no word with its ends."""
    ends = f"{claim.subject} {claim.object}"
    for other in corpus.others(claim, rng):
        own = f"{other.subject} {other.object}"
        if not hints_at(own, claim.subject) and not hints_at(own, claim.object):
            if not hints_at(ends, other.subject) and not hints_at(ends, other.object):
                return replace(claim, beside=other)
    return None


def overturned(claim: PassageClaim, corpus: ClaimCorpus, rng: random.Random) -> PassageClaim | None:
    """Put a text of a later day beside it, of the same name, which gives another number."""
    changed = changed_number(claim, corpus, rng)
    if changed is None or claim.object not in claim.quote:
        return None
    newer = claim.quote.replace(claim.object, changed.object)
    year = rng.randint(1990, 2020)
    beside = PassageClaim(
        claim.id, f"planted/minutes {year}-09-14.md", claim.title, newer, newer, "", "", ""
    )
    return replace(claim, doc_id=f"planted/minutes {year}-03-02.md", beside=beside)
