"""True claims drawn and corrupted, marked and counted."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoptrail.core.errors import InputError
from hoptrail.eval.planted.claims import KINDS, PlantedClaim
from hoptrail.eval.planted.evaluation import (
    CORRUPTIONS,
    MarkedClaim,
    draw,
    evaluate_marks,
    mark_as_trail,
    plant,
    summarize,
)
from hoptrail.eval.planted.sources import load_claims
from tests.unit.eval.planted.garden import BORN, CLAIMS, DIED, DIRECTED


def test_every_kind_has_its_corruption() -> None:
    assert set(CORRUPTIONS) == set(KINDS) - {"true"}


@given(st.permutations(CLAIMS), st.integers(0, 5))
def test_same_claims_and_seed_give_the_same_whatever_their_order(order, seed: int) -> None:  # type: ignore[no-untyped-def]
    assert draw(order, seed) == draw(CLAIMS, seed)


def test_corruptions_depend_on_the_seed_alone() -> None:
    assert list(plant(CLAIMS, 3, 7)) == list(plant(CLAIMS, 3, 7))


def test_no_kind_has_more_than_asked_for() -> None:
    counts = Counter(one.kind for one in plant(CLAIMS, 2, 1))
    assert counts["true"] == 2
    assert max(counts.values()) == 2


def test_predicates_take_turns() -> None:
    claims = [BORN, *(one for one in CLAIMS if one is not BORN)]
    first = draw(claims, 3)[:5]
    assert {one.predicate for one in first} == {one.predicate for one in CLAIMS}


def test_every_quote_stands_in_its_passage() -> None:
    assert all(one.claim.quote in one.claim.passage for one in plant(CLAIMS, 5, 1))


def test_no_corrupted_claim_is_a_true_one() -> None:
    true = {(one.passage, one.subject, one.predicate, one.object) for one in (DIRECTED, BORN, DIED)}
    for one in plant(CLAIMS, 5, 1):
        claim = one.claim
        same = (claim.passage, claim.subject, claim.predicate, claim.object)
        is_read_alone = claim.beside is None
        assert one.kind == "true" or not is_read_alone or same not in true


def test_folder_holds_claims_rows_and_summary(tmp_path: Path) -> None:
    source = tmp_path / "claims.jsonl"
    source.write_text("".join(json.dumps(one.to_json()) + "\n" for one in CLAIMS), "utf-8")
    report = evaluate_marks(source, "claims", per_kind=3, seed=1, out=tmp_path / "out")
    assert load_claims(tmp_path / "out" / "claims.jsonl", "claims") == list(CLAIMS)
    rows = [
        json.loads(line)
        for line in (tmp_path / "out" / "rows.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(rows) == sum(result.n for result in report.kinds.values())
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == report.to_json()


def test_source_without_claims_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(InputError, match="no claims"):
        evaluate_marks(tmp_path / "empty.jsonl", "claims", per_kind=3, seed=1)


def test_marks_are_counted_by_kind() -> None:
    kinds = summarize(
        [
            MarkedClaim(PlantedClaim("true", DIRECTED), "stated"),
            MarkedClaim(PlantedClaim("true", BORN), "partly"),
            MarkedClaim(PlantedClaim("swapped", BORN), "partly"),
        ]
    )
    assert list(kinds) == ["true", "swapped"]
    true = kinds["true"]
    assert (true.n, true.stated, true.partly, true.none, true.stated_rate) == (2, 1, 1, 0, 0.5)


def test_interval_is_wilsons() -> None:
    planted = PlantedClaim("true", BORN)
    marked = [MarkedClaim(planted, "stated")] * 3 + [MarkedClaim(planted, "none")] * 97
    result = summarize(marked)["true"]
    assert result.ci95 == pytest.approx((0.0103, 0.0845), abs=1e-4)


def test_row_is_flat() -> None:
    row = MarkedClaim(PlantedClaim("true", BORN), "none").as_row()
    assert (row["kind"], row["support"], row["object"]) == ("true", "none", "4 May 1902")


def test_mark_is_that_of_a_trail() -> None:
    assert mark_as_trail(DIRECTED) == "stated"
    assert mark_as_trail(replace(DIRECTED, object="Ida Holm")) == "none"
