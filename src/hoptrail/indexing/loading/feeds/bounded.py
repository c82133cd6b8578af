"""Items of somebody else's code, which may hang or never end."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_AHEAD = 8  # items that are made before they are asked for
_LOOK_SECONDS = 0.2


class StoppedError(Exception):
    """Items stopped coming; the message says why."""


class _End:
    """The end of the items, with what ended them."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def bounded(
    make: Callable[[], Iterable[T]], *, items: int, seconds: float, silence: float
) -> Iterator[T]:
    """Yield items that a thread of its own makes, so that one that hangs is given up.

    Args:
        make: Returns the items; called in that thread.
        items: As many are yielded at most.
        seconds: So long they may take in all.
        silence: So long the next one is waited for.

    Raises:
        StoppedError: If they did not come to their end, for whatever reason.
    """
    ready: queue.Queue[T | _End] = queue.Queue(_AHEAD)
    is_over = threading.Event()
    # A daemon, for a thread that hangs in a foreign call cannot be ended.
    threading.Thread(target=_produce, args=(make, ready, is_over), daemon=True).start()
    deadline = time.monotonic() + seconds
    try:
        for _ in range(items):
            item = _next(ready, deadline, seconds, silence)
            if item is None:
                return
            yield item
        if _next(ready, deadline, seconds, silence) is not None:
            raise StoppedError(f"stopped after {items:,} documents, the limit")
    finally:
        is_over.set()


def _produce(
    make: Callable[[], Iterable[T]], ready: queue.Queue[T | _End], is_over: threading.Event
) -> None:
    try:
        for item in make():
            if not _put(ready, item, is_over):
                return
    except BaseException as error:  # whatever it is, the reader is told
        _put(ready, _End(error), is_over)
    else:
        _put(ready, _End(), is_over)


def _put(ready: queue.Queue[T | _End], item: T | _End, is_over: threading.Event) -> bool:
    """Hand an item over, and return whether anybody still wants one."""
    while not is_over.is_set():
        try:
            ready.put(item, timeout=_LOOK_SECONDS)
        except queue.Full:
            continue
        return True
    return False


def _next(
    ready: queue.Queue[T | _End], deadline: float, seconds: float, silence: float
) -> T | None:
    left = deadline - time.monotonic()
    try:
        item = ready.get(timeout=max(0.0, min(left, silence)))
    except queue.Empty:
        told = f"nothing came for {silence:,.0f} seconds" if silence < left else ""
        raise StoppedError(told or f"not at its end after {seconds:,.0f} seconds") from None
    if not isinstance(item, _End):
        return item
    if item.error is None:
        return None
    told = " ".join(str(item.error).split())[:300]
    name = type(item.error).__name__
    raise StoppedError(f"{name}: {told}" if told else name) from item.error
