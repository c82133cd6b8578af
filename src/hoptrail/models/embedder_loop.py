"""The event loop of this process's embedders and rerankers, which code without one asks."""

from __future__ import annotations

import atexit
import threading
from functools import cache

from hoptrail.core.background import BackgroundLoop

_lock = threading.Lock()


def embedder_loop() -> BackgroundLoop:
    """Return the loop, which keeps their connections until the process ends."""
    with _lock:
        return _loop()


@cache
def _loop() -> BackgroundLoop:
    loop = BackgroundLoop()
    atexit.register(loop.close)
    return loop
