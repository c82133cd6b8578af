from __future__ import annotations

import pytest

from hoptrail.core.errors import CostLimitError
from hoptrail.indexing.model_calls.spending_limit import SpendingLimit


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
