from collections.abc import AsyncIterator

import pytest

from hoptrail.core.background import BackgroundLoop
from hoptrail.core.errors import ClosedError


async def double(number: int) -> int:
    return 2 * number


async def test_a_loop_runs_and_closes_beside_a_running_one() -> None:
    background = BackgroundLoop()
    assert background.run(double(4)) == 8
    background.close()
    with pytest.raises(ClosedError):
        background.run(double(4))


def test_closing_ends_iterators_that_were_left() -> None:
    ended: list[bool] = []

    async def count() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            ended.append(True)

    background = BackgroundLoop()
    items = background.iterate(count())
    assert next(items) == 1
    background.close()
    assert ended == [True]
