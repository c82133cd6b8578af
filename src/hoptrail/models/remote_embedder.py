"""An embedder over LangChain's `Embeddings`: batched, tried again, checked, accounted for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hoptrail.core.budget import Limits, Meter, current_meter
from hoptrail.core.embedding import FloatArray, RemoteEmbedder, probe_vector
from hoptrail.core.errors import ModelReplyError, ModelUnavailableError
from hoptrail.core.settings import Settings
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import NodeUsage
from hoptrail.models.caller import Caller, RefusedError
from hoptrail.models.failures import Failure
from hoptrail.models.loop_resources import background_loop
from hoptrail.models.prices import known_price
from hoptrail.models.traced_call import traced_call

MOST_TEXTS = 64
"""Texts of one call: few enough that little is lost with it, and that slow servers keep time."""
MOST_TOKENS = 16_000
_AT_ONCE = 4
LONGEST = 6_000
"""Estimated tokens at which a text is cut: OpenAI's models take 8,191 of their own."""
_BLANK = "(blank)"  # servers refuse an empty text

Send = Callable[[list[str]], Awaitable[Sequence[Sequence[float]]]]
"""From the texts of one call to their vectors as the server gives them."""


class LangChainEmbedder(RemoteEmbedder):
    """Embeds with a LangChain `Embeddings`: in batches, some at once, tried again, accounted for.

    Safe to share between threads. A text of more than `LONGEST` tokens is cut, and the meter of
    the run gets a note of it.

    Args:
        name: Stable name of the model, stored with knowledge bases.
        embed_documents: Sends passages.
        embed_queries: Sends questions.
        settings: Timeout, retries and prices.
        caller: Tries again, and holds calls back while the server asks to wait.
        is_symmetric: Whether questions and passages are embedded alike.
    """

    def __init__(
        self,
        name: str,
        embed_documents: Send,
        embed_queries: Send,
        settings: Settings,
        caller: Caller,
        *,
        is_symmetric: bool = False,
    ) -> None:
        self.is_symmetric = is_symmetric
        self._name = name
        self._embed_documents = embed_documents
        self._embed_queries = embed_queries
        self._settings = settings
        self._caller = caller
        self._dim: int | None = None

    @property
    def name(self) -> str:
        """The model's full name."""
        return self._name

    @property
    def dim(self) -> int:
        """Vector length; a call finds out where none was made before."""
        if self._dim is None:
            probe_vector(self)
        assert self._dim is not None
        return self._dim

    def embed_each(self, texts: Sequence[str]) -> Iterator[tuple[list[int], FloatArray]]:
        """Yield places of passages with their unit vectors, shape (len(places), dim), as they come.

        Raises:
            ModelKeyError: If the server refuses the key.
            ModelUnavailableError: If it refuses the call, or cannot be reached after all tries.
            ModelReplyError: If it sent other than one vector of numbers for each text.
        """
        yield from self._each(texts, self._embed_documents)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return the unit vectors of questions, shape (len(texts), dim); errors as of passages."""
        parts = list(self._each(texts, self._embed_queries))
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for places, rows in parts:
            vectors[places] = rows
        return vectors

    def _each(self, texts: Sequence[str], send: Send) -> Iterator[tuple[list[int], FloatArray]]:
        outer = current_meter()
        meter = Meter("embed", _time_left(outer) if outer is not None else None)
        try:
            yield from background_loop().iterate(self._replies(_fitting(texts, meter), send, meter))
        finally:
            if outer is not None:
                _book(meter, outer)

    async def _replies(
        self, texts: Sequence[str], send: Send, meter: Meter
    ) -> AsyncIterator[tuple[list[int], FloatArray]]:
        """Yield what each call gave; after a failure no further call begins."""
        waiting = deque(batches(texts))
        running: set[asyncio.Task[tuple[list[int], FloatArray]]] = set()
        failure: BaseException | None = None
        try:
            while waiting or running:
                while waiting and len(running) < _AT_ONCE:
                    places = waiting.popleft()
                    running.add(asyncio.create_task(self._reply(places, texts, send, meter)))
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    if (error := task.exception()) is None:
                        yield task.result()
                    else:
                        failure = failure or error
                        waiting.clear()
        finally:
            for task in running:
                task.cancel()
        if failure is not None:
            raise failure

    async def _reply(
        self, places: list[int], texts: Sequence[str], send: Send, meter: Meter
    ) -> tuple[list[int], FloatArray]:
        batch = [texts[place] for place in places]
        price = await asyncio.to_thread(known_price, self._name, self._settings.prices)
        tokens = sum(map(estimate_tokens, batch))
        paid = NodeUsage(
            embedding_tokens=tokens,
            usd=price.usd(tokens) if price else 0.0,
            unpriced_calls=0 if price else 1,
        )

        with traced_call("embeddings", self._name, self._settings) as traced:

            def book() -> None:
                meter.add(paid)
                traced.book(paid)

            def book_failure(failure: Failure) -> None:
                traced.note_failure(failure)
                if failure.in_vain:
                    book()

            try:
                sent = await self._caller.call(
                    lambda _: send(batch),
                    meter=meter,
                    timeout=self._settings.timeout_seconds,
                    max_retries=self._settings.max_retries,
                    on_failure=book_failure,
                )
            except RefusedError as error:  # a chat model's feature could be left out here
                raise ModelUnavailableError(
                    f"embedder {self._name} is unavailable: {error}"
                ) from error
            book()
        return places, self._checked(sent, len(batch))

    def _checked(self, sent: Any, wanted: int) -> FloatArray:
        """Return a reply's vectors with unit length, shape (wanted, dim).

        Raises:
            ModelReplyError: If they are not what was asked for.
        """
        if not isinstance(sent, Sequence) or len(sent) != wanted:
            got = f"{len(sent)} vectors" if isinstance(sent, Sequence) else "no vectors"
            raise self._unusable(f"sent {got} for {wanted} texts")
        try:
            vectors = np.asarray(sent, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise self._unusable("sent vectors of unequal length, or not of numbers") from error
        if vectors.ndim != 2 or vectors.shape[1] == 0:
            raise self._unusable("sent empty vectors")
        if not np.isfinite(vectors).all():
            raise self._unusable("sent a vector with a component that is no number")
        self._dim = self._dim or vectors.shape[1]
        if vectors.shape[1] != self._dim:
            raise self._unusable(f"sent {vectors.shape[1]} dimensions, before {self._dim}")
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (norms > 0).all():
            raise self._unusable("sent a vector of zeros")
        unit: FloatArray = (vectors / norms).astype(np.float32)
        return unit

    def _unusable(self, what: str) -> ModelReplyError:
        return ModelReplyError(
            f"embedder {self._name} {what}", hint="check the server, or use another embedder"
        )


def batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the places of the texts of each call, bounded by their number and tokens."""
    places: list[int] = []
    filled = 0
    for place, text in enumerate(texts):
        tokens = estimate_tokens(text)
        if places and (len(places) == MOST_TEXTS or filled + tokens > MOST_TOKENS):
            yield places
            places, filled = [], 0
        places.append(place)
        filled += tokens
    if places:
        yield places


def _fitting(texts: Sequence[str], meter: Meter) -> list[str]:
    """Return the texts as a server takes them: not blank, not too long, and proper Unicode."""
    fitting: list[str] = []
    cut = 0
    for text in texts:
        proper = text.encode("utf-8", "replace").decode() if text.strip() else _BLANK
        short = _cut(proper)
        cut += len(short) < len(proper)
        fitting.append(short)
    if cut:
        meter.note(f"embedded by their first {LONGEST:,} tokens alone: {cut} texts")
    return fitting


def _cut(text: str) -> str:
    """Return the text, or its beginning with `LONGEST` tokens at most."""
    if 4 * len(text) <= LONGEST:  # no character is more than four tokens
        return text
    while (tokens := estimate_tokens(text)) > LONGEST:
        text = text[: min(len(text) - 1, int(len(text) * 0.98 * LONGEST / tokens))]
    return text


def _time_left(meter: Meter) -> Limits:
    """Return the seconds of a run as the only bound: vectors are no model calls."""
    return Limits(max_seconds=meter.limits.max_seconds, started_at=meter.limits.started_at)


def _book(spent: Meter, outer: Meter) -> None:
    """Book the calls of an embedder where they are told apart from a model's."""
    usage = spent.usage
    outer.add(
        NodeUsage(
            usd=usage.usd,
            embedding_calls=usage.llm_calls,
            embedding_tokens=usage.embedding_tokens,
            unpriced_calls=usage.unpriced_calls,
        )
    )
    for line in spent.notes:
        outer.note(line)
