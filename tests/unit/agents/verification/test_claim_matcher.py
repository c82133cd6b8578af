"""Where the evidence states a claim: of rows that are alike, in the one that it points to."""

from __future__ import annotations

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.verification.claim_matcher import match_row
from hoptrail.core.types import Evidence, Hit
from hoptrail.core.types.draft import HopClaim
from tests.tables import labelled_chunk

ROWS = "No.: 6; Tool: Washer; Price: 210\nNo.: 7; Tool: Washer; Price: 210"


def test_of_rows_alike_a_claim_is_quoted_from_its_own() -> None:
    chunk = labelled_chunk("c", "Catalogue", ROWS)
    index = EvidenceIndex(Evidence(chunks=(Hit(chunk, 1.0),)))
    second = ROWS.index("No.: 7")
    for start, quote in (
        (0, ROWS[: second - 1]),
        (second, ROWS[second:]),
        (None, ROWS[: second - 1]),
    ):
        claim = HopClaim("Washer", "Price", "210", chunk.id, row_start=start)
        row = match_row(claim, index)
        assert row is not None
        assert row.text == quote
