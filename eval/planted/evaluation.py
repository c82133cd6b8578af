"""One evaluation of the marks: read true claims, corrupt them, mark all, write and summarise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hoptrail.agents.verification.verifier import verify
from hoptrail.core.errors import InputError
from hoptrail.core.types import Chunk, Evidence, Hit, JsonDict, Record
from hoptrail.core.types.draft import Draft, HopClaim
from hoptrail.eval.files.jsonl_log import JsonlLog
from hoptrail.eval.files.text_files import write_object
from hoptrail.eval.planted.claim import KINDS, Kind, PassageClaim, PlantedClaim
from hoptrail.eval.planted.planting import plant
from hoptrail.eval.planted.sources import load_claims

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
    marked = list(mark_all(plant(claims, per_kind, seed), marker))
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
        kind, *claim = self.planted.as_row().items()
        return dict((kind, ("support", self.support), *claim))


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


def mark_all(planted: Iterable[PlantedClaim], marker: Marker) -> Iterator[MarkedClaim]:
    """Yield every claim with its mark."""
    for one in planted:
        yield MarkedClaim(one, marker(one.claim))


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
