"""One evaluation of the marks: draw true claims, corrupt them, mark all, write and summarise."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hoptrail.agents.verification.verifier import verify
from hoptrail.core.errors import InputError
from hoptrail.core.types import Chunk, Evidence, Hit, JsonDict, Record
from hoptrail.core.types.draft import Draft, HopClaim
from hoptrail.eval.json_files import JsonlLog, write_object
from hoptrail.eval.planted import changed_claims, changed_passages
from hoptrail.eval.planted.claims import KINDS, ClaimCorpus, Kind, PassageClaim, PlantedClaim
from hoptrail.eval.planted.relations import relation_of
from hoptrail.eval.planted.sources import load_claims

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

Mark = Literal["stated", "partly", "none"]
Marker = Callable[[PassageClaim], Mark]
"""Returns how far a claim's passage states it. The kind of the claim is not told."""


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


@dataclass(frozen=True, slots=True)
class MarkReport(Record):
    """The marks by kind; `claims` is how many true claims there were to draw from."""

    claims: int
    seed: int
    kinds: dict[Kind, KindResult]


def evaluate_marks(
    source: Path,
    form: str,
    *,
    per_kind: int,
    seed: int,
    out: Path | None = None,
    marker: Marker = mark_as_trail,
) -> MarkReport:
    """Return how often each kind of claim is marked as stated.

    Args:
        source: Where true claims are read from.
        form: One of `sources.FORMS`.
        per_kind: Claims of each kind at most.
        seed: Of the draw and of the corruptions.
        out: Folder for `claims.jsonl`, the true claims; `rows.jsonl`, all that were marked; and
            `summary.json`.
        marker: Gives the marks; by default as the trail of an answer does.

    Raises:
        InputError: If the source cannot be read or holds no claim.
    """
    claims = load_claims(source, form)
    if not claims:
        raise InputError("no claims in it", path=str(source), hint="see --form")
    marked = [MarkedClaim(one, marker(one.claim)) for one in plant(claims, per_kind, seed)]
    report = MarkReport(len(claims), seed, summarize(marked))
    if out is not None:
        JsonlLog(out / "claims.jsonl").replace(claim.to_json() for claim in claims)
        JsonlLog(out / "rows.jsonl").replace(one.as_row() for one in marked)
        write_object(out / "summary.json", report.to_json())
    return report


@dataclass(frozen=True, slots=True)
class MarkedClaim(Record):
    """A planted claim and the mark that it was given."""

    planted: PlantedClaim
    support: Mark

    def as_row(self) -> JsonDict:
        """Return kind, mark and claim as one flat JSON object."""
        kind, claim = self.planted.kind, self.planted.claim.to_json()
        return {"kind": kind, "support": self.support, **claim}


@dataclass(frozen=True, slots=True)
class KindResult(Record):
    """The marks of one kind of claims.

    `stated_rate` is the share marked as stated, an error for every kind but `true`; `ci95` its
    Wilson interval (Wilson 1927).
    """

    n: int
    stated: int
    partly: int
    none: int
    stated_rate: float
    ci95: tuple[float, float]


def summarize(marked: Iterable[MarkedClaim]) -> dict[Kind, KindResult]:
    """Return the marks by kind, in the order of the kinds; a kind without claims is left out."""
    counts: dict[Kind, Counter[Mark]] = {kind: Counter() for kind in KINDS}
    for one in marked:
        counts[one.planted.kind][one.support] += 1
    return {kind: _result(marks) for kind, marks in counts.items() if marks}


def _result(marks: Counter[Mark]) -> KindResult:
    from scipy.stats import binomtest

    n, stated = marks.total(), marks["stated"]
    interval = binomtest(stated, n).proportion_ci(method="wilson")
    bounds = float(interval.low), float(interval.high)
    return KindResult(n, stated, marks["partly"], marks["none"], stated / n, bounds)
