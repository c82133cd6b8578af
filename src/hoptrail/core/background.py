"""Event loops in threads: let synchronous callers run coroutines, even inside a loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar, cast

from hoptrail.core.errors import ClosedError

T = TypeVar("T")
_END = object()


class BackgroundLoop:
    """Runs coroutines one caller at a time on one loop, so that async clients can be kept."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._is_closed = False
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="hoptrail-loop", daemon=True
        )
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result; an interrupt cancels it and waits for its end.

        Raises:
            ClosedError: If the loop is closed, before or meanwhile.
        """
        with self._lock:
            if self._is_closed:
                work.close()
                raise ClosedError
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except CancelledError:
            if self._is_closed:
                raise ClosedError from None
            raise
        except BaseException:
            if future.cancel():
                asyncio.run_coroutine_threadsafe(_end_of(work), self._loop).result()
            raise

    def iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        """Yield what an async iterator yields.

        Raises:
            ClosedError: If the loop is closed, before or meanwhile.
        """
        try:
            while (item := self.run(_next(items))) is not _END:
                yield cast(T, item)
        finally:
            close = getattr(items, "aclose", None)
            # A closed loop has ended its iterators itself.
            if close is not None and not self._is_closed:
                self.run(close())

    def close(self) -> None:
        """Cancel what runs, wait for its end, and stop the loop; a second call does nothing."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        # All on the loop itself: the caller's thread may have a running loop, as in a notebook.
        asyncio.run_coroutine_threadsafe(_wind_up(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine, in a thread of its own where this one already has an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    context = copy_context()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(context.run, asyncio.run, work).result()


async def _wind_up() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    loop = asyncio.get_running_loop()
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()


async def _end_of(work: Coroutine[Any, Any, Any]) -> None:
    """Wait until a cancelled coroutine has cleaned up after itself."""
    tasks = [task for task in asyncio.all_tasks() if task.get_coro() is work]
    if tasks:
        await asyncio.wait(tasks)


async def _next(items: AsyncIterator[T]) -> T | object:
    return await anext(items, _END)
