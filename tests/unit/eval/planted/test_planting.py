from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hoptrail.eval.planted.claim import KINDS
from hoptrail.eval.planted.planting import CORRUPTIONS, draw, plant
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
