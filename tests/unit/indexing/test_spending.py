from __future__ import annotations

import pytest

from hoptrail.core.errors import CostLimitError
from hoptrail.indexing.spending import SharedLimit, SpendingLimit
from hoptrail.indexing.spreading.spread_run import DriverPurse


def test_what_is_spent_and_reserved_counts_before_the_next_call() -> None:
    limit = SpendingLimit(1.0)
    limit.spend(0.4)
    with limit.reserved(0.3):
        assert limit.exceeds(0.4)
        assert not limit.exceeds(0.2)
    assert not limit.exceeds(0.4)


def test_the_error_tells_both_amounts() -> None:
    limit = SpendingLimit(0.01)
    limit.spend(0.0099)
    with pytest.raises(CostLimitError, match=r"stopped at \$0\.0099: .* limit of \$0\.010"):
        limit.check(0.001)


def test_without_a_limit_everything_fits() -> None:
    SpendingLimit(None).check(1e9)


def test_two_processes_together_stay_within_the_limit() -> None:
    purse = DriverPurse(1.0)
    one, other = SharedLimit(purse), SharedLimit(purse)
    assert not one.exceeds(0.6)
    one.spend(0.6)
    assert other.exceeds(0.5)
    assert not other.exceeds(0.4)


def test_what_is_reserved_is_taken_too() -> None:
    purse = DriverPurse(1.0)
    limit = SharedLimit(purse)
    assert not limit.exceeds(0.5)
    with limit.reserved(0.5):
        assert not limit.exceeds(0.5)
        assert purse.left == pytest.approx(0.0)


def test_what_was_not_spent_is_given_back() -> None:
    purse = DriverPurse(1.0)
    limit = SharedLimit(purse)
    assert not limit.exceeds(0.5)
    limit.spend(0.2)
    limit.close()
    assert purse.left == pytest.approx(0.8)


def test_a_killed_process_keeps_what_it_took() -> None:
    purse = DriverPurse(1.0)
    assert not SharedLimit(purse).exceeds(0.7)
    assert SharedLimit(purse).exceeds(0.4)


def test_the_limit_that_was_reached_is_that_of_all() -> None:
    with pytest.raises(CostLimitError, match="the limit of all shards"):
        SharedLimit(DriverPurse(0.0)).check(0.1)


def test_processes_without_a_limit_spend_what_they_like() -> None:
    assert not SharedLimit(DriverPurse(None)).exceeds(1e9)
