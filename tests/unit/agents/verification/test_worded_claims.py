"""A frozen table of claims as models word them, each with a quote that states it or does not.

It was written before the rules that read it; the rules were chosen on the half that the seed 5
draws. What is not read yet is listed, so that nothing is lost unseen.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.verification.claim_matcher import find_support
from hoptrail.core.types import Chunk, Evidence, Hit, JsonDict
from hoptrail.core.types.draft import HopClaim

TABLE = Path(__file__).with_name("worded_claims.jsonl")
ROWS = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
NOT_YET_READ = {
    ("Aldric II", "mother", "Judith of Varn"): "a title with more than the name",
    ("The Lantern Keepers", "is from the album", "Low Tide"): "a single from an album",
    ("Stanmouth", "population", "40,000"): "inhabitants for population",
    ("Edwin Tovell", "sibling", "Paul Tovell"): "a first name alone",
    ("Burrow Tales", "voice actor", "Aria Novak"): "a voice in a series",
    ("Burrow Tales", "original network", "Channel Six"): "a clause behind another",
}


def is_stated(row: JsonDict) -> bool:
    """Return whether the quote alone, in a passage of its title, states the claim."""
    chunk = Chunk("c", "d", row["title"], row["quote"], 0, len(row["quote"]))
    index = EvidenceIndex(Evidence(chunks=(Hit(chunk, 1.0),)))
    subject, predicate, object_ = row["claim"]
    claim = HopClaim(subject=subject, predicate=predicate, object=object_, chunk_id="c")
    return find_support(claim, index).support == "stated"


@pytest.mark.parametrize("row", ROWS, ids=[" | ".join(row["claim"]) for row in ROWS])
def test_a_claim_is_stated_where_its_quote_says_so(row: JsonDict) -> None:
    expected = row["stated"] and tuple(row["claim"]) not in NOT_YET_READ
    assert is_stated(row) == expected
