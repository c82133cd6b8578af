"""Draw true claims and corrupt them, each kind as often as is asked for."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from hoptrail.eval.planted import changed_claims, changed_passages
from hoptrail.eval.planted.claim import Kind, PassageClaim, PlantedClaim
from hoptrail.eval.planted.corpus import ClaimCorpus
from hoptrail.eval.planted.relations import relation_of

Corruption = Callable[[PassageClaim, ClaimCorpus, random.Random], PassageClaim | None]

CORRUPTIONS: dict[Kind, Corruption] = {
    "other_subject": changed_claims.other_subject,
    "absent_subject": changed_claims.absent_subject,
    "other_object": changed_claims.other_object,
    "absent_object": changed_claims.absent_object,
    "other_predicate": changed_claims.other_predicate,
    "swapped": changed_claims.swapped,
    "wrong_entity": changed_claims.wrong_entity,
    "changed_number": changed_claims.changed_number,
    "wrong_passage": changed_passages.wrong_passage,
    "negated": changed_passages.negated,
    "question": changed_passages.asked,
    "heading": changed_passages.heading,
    "table_header": changed_passages.table_header,
    "menu": changed_passages.menu,
    "injected": changed_passages.injected,
    "name_part": changed_passages.name_part,
    "number_row": changed_passages.number_row,
    "unjoined": changed_passages.unjoined,
    "overturned": changed_passages.overturned,
}


def plant(claims: Sequence[PassageClaim], per_kind: int, seed: int) -> Iterator[PlantedClaim]:
    """Yield true claims and corrupted ones, up to `per_kind` of each kind.

    The draw depends on the seed and the claims alone, not on their order. Predicates take turns, so
    that a frequent one ("date of birth") does not stand for all.

    Args:
        claims: True claims, each stated by its quote.
        per_kind: How many to yield of each kind at most.
        seed: Of the draw and of every choice within a corruption.
    """
    drawn = draw(claims, seed)
    corpus = ClaimCorpus(claims)
    for claim in drawn[:per_kind]:
        yield PlantedClaim("true", claim)
    for kind, corrupt in CORRUPTIONS.items():
        made = 0
        for claim in drawn:
            if made == per_kind:
                break
            changed = corrupt(claim, corpus, random.Random(f"{seed} {kind} {claim.id}"))
            if changed is not None:
                made += 1
                yield PlantedClaim(kind, changed)


def draw(claims: Sequence[PassageClaim], seed: int) -> list[PassageClaim]:
    """Return the claims in random order, predicates in turns.

    Wordings of one relation are one predicate, and so are unlisted ones with the same last word.
    """
    shuffled = sorted(claims, key=lambda claim: _digest(seed, claim.id))
    seen: Counter[str] = Counter()
    turns: dict[str, int] = {}
    for claim in shuffled:
        relation = relation_of(claim.predicate, claim.object)
        key = relation.cues.pattern if relation else claim.predicate.rpartition(" ")[2]
        seen[key] += 1
        turns[claim.id] = seen[key]
    return sorted(shuffled, key=lambda claim: turns[claim.id])


def _digest(seed: int, id_: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{id_}".encode()).digest()
