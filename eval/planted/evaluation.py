"""One evaluation of the marks: read true claims, corrupt them, mark all, write and summarise."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import Record
from hoptrail.eval.files.jsonl_log import JsonlLog
from hoptrail.eval.files.text_files import write_object
from hoptrail.eval.planted.claim import Kind
from hoptrail.eval.planted.marker import Marker, mark_as_trail
from hoptrail.eval.planted.measure import KindResult, mark_all, summarize
from hoptrail.eval.planted.planting import plant
from hoptrail.eval.planted.sources import load_claims


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
