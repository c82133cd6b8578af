"""One model's rate limit, shared by all calls of this process."""

from __future__ import annotations

import asyncio
import time


class RateGate:
    """Holds back all calls of a model once one of them was told to wait.

    It belongs to no event loop, so calls of several threads share it.
    """

    def __init__(self) -> None:
        self._opens_at = 0.0

    def hold(self, seconds: float) -> None:
        """Let no call pass for this long."""
        self._opens_at = max(self._opens_at, time.monotonic() + seconds)

    def delay(self) -> float:
        """Return the seconds until a call may pass."""
        return max(0.0, self._opens_at - time.monotonic())

    async def wait(self) -> None:
        """Return when a call may pass, also if the gate is held again meanwhile."""
        while (delay := self.delay()) > 0:
            await asyncio.sleep(delay)
