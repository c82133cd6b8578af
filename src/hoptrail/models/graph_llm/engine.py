"""Runs a graph language model for many callers at once, whose replies become text by pieces."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torch import Tensor
from transformers.tokenization_utils_base import PreTrainedTokenizerBase

from hoptrail.core.errors import ModelReplyError, ModelUnavailableError, OverloadedError
from hoptrail.models.graph_llm.decoding import ContinuousDecoder, DecodedToken
from hoptrail.models.graph_llm.generation import GenerationRequest, ReplyPart
from hoptrail.models.graph_llm.prompt_worker import PromptWorker

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama

Arrival = ReplyPart | Exception
_UNFINISHED = "\ufffd"
_LONGEST_CHARACTER = 8  # tokens; what is longer is broken text, not a character to wait for


@dataclass(slots=True, eq=False)
class _Job:
    """A request on its way.

    `deliver` is called from the engine's thread; `prompt_tokens` is 0 until the decoder has it.
    """

    request: GenerationRequest
    deliver: Callable[[Arrival], None]
    text: ReplyText
    prompt: Future[Tensor] = field(default_factory=Future)
    prompt_tokens: int = 0
    written: int = 0


class GraphEngine:
    """Prepares, decodes and delivers the replies of one model; safe for many event loops.

    Prompts are made in one thread and decoded in another, both in batches that requests join and
    leave at any time. A request that cannot be prepared or breaks down fails alone.

    Args:
        model: The model.
        most_running: Requests decoded together.
        queue_limit: Requests that may wait beside them; None for any number.
        on_step: Is told, from the engine's thread, how many requests a step gave a token.
    """

    def __init__(
        self,
        model: GraphLlama,
        *,
        most_running: int = 32,
        queue_limit: int | None = None,
        on_step: Callable[[int], object] = lambda tokens: None,
    ) -> None:
        self._model = model
        self._most_running = most_running
        self._queue_limit = queue_limit
        self._on_step = on_step
        self._decoder = self._new_decoder()
        self._prompts = PromptWorker(model)
        self._lock = threading.Lock()
        self._jobs: set[_Job] = set()
        self._accepting = True
        self._changes: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="graph-llm-decoder", daemon=True)
        self._thread.start()

    @property
    def accepting(self) -> bool:
        """Whether new requests are taken."""
        return self._accepting

    @property
    def unfinished(self) -> int:
        """Requests that wait or run."""
        return len(self._jobs)

    @property
    def running(self) -> int:
        """Requests in the decoder's batch."""
        return self._decoder.running

    async def astream(
        self, request: GenerationRequest, *, timeout: float | None = None
    ) -> AsyncGenerator[ReplyPart]:
        """Yield the reply as it is written; closing the iterator ends the writing.

        Args:
            request: What to write.
            timeout: Seconds to wait for each part; None for any time.

        Raises:
            InputError: If the request is too long or its graph does not fit the model.
            OverloadedError: If the queue is full.
            ModelUnavailableError: If the engine is closed.
            ModelReplyError: If the model breaks down.
            TimeoutError: If a part does not come in time.
        """
        arrivals: asyncio.Queue[Arrival] = asyncio.Queue()
        job = self._submit(request, _deliver_to(arrivals))
        try:
            finished = False
            while not finished:
                try:
                    async with asyncio.timeout(timeout):
                        part = _checked(await arrivals.get())
                except TimeoutError:
                    raise TimeoutError(f"no token in {timeout} seconds") from None
                finished = part.finish_reason is not None
                yield part
        finally:
            self._drop(job)

    def stop_accepting(self) -> None:
        """Refuse new requests from now on; those that wait or run go on."""
        self._accepting = False

    def abandon(self) -> None:
        """Refuse new requests and end those that wait or run with ModelUnavailableError."""
        self.stop_accepting()
        self._changes.put(self._fail_all)

    def close(self, *, patience: float = 0.0) -> None:
        """End the engine's threads.

        Args:
            patience: Seconds that unfinished requests get before they are abandoned.
        """
        self.stop_accepting()
        deadline = time.monotonic() + patience
        while self.unfinished and time.monotonic() < deadline:
            time.sleep(0.01)
        self.abandon()
        self._changes.put(None)
        self._thread.join()
        self._prompts.close()

    async def aclose(self) -> None:
        """Abandon what is unfinished and end the engine's threads, from an event loop."""
        await asyncio.to_thread(self.close)

    def _submit(self, request: GenerationRequest, deliver: Callable[[Arrival], None]) -> _Job:
        with self._lock:
            if not self._accepting:
                raise ModelUnavailableError("the model is being shut down", hint="try another one")
            if (
                self._queue_limit is not None
                and len(self._jobs) >= self._most_running + self._queue_limit
            ):
                raise OverloadedError(
                    f"{len(self._jobs)} requests wait already", hint="try again in a moment"
                )
            job = _Job(request, deliver, ReplyText(self._model.base.tokenizer, request.stop))
            self._jobs.add(job)
        job.prompt = self._prompts.submit(request)
        job.prompt.add_done_callback(lambda _: self._changes.put(lambda: self._start(job)))
        return job

    def _drop(self, job: _Job) -> None:
        """End a request whose reader has gone; one that is over already is no matter."""
        if job in self._jobs:
            job.prompt.cancel()
            self._changes.put(lambda: self._forget(job))

    def _run(self) -> None:
        """Take changes between steps; sleep while there is nothing to decode."""
        while True:
            while len(self._decoder) == 0 or not self._changes.empty():
                change = self._changes.get()
                if change is None:
                    return
                change()
            try:
                self._step()
            except Exception as error:
                self._decoder = self._new_decoder()
                failure = ModelReplyError(f"the model broke down: {error}")
                failure.__cause__ = error
                self._fail([job for job in list(self._jobs) if job.prompt_tokens], failure)

    def _step(self) -> None:
        tokens = self._decoder.step()
        self._on_step(len(tokens))
        for token in tokens:
            self._take(token)

    def _take(self, token: DecodedToken[_Job]) -> None:
        """Deliver what a token adds to its reply."""
        job, reason = token.key, token.finish_reason
        job.written += 1
        if reason == "error":
            self._end(job, ModelReplyError("the model's output is no number", hint=_OVERFLOW_HINT))
            return
        text = "" if reason == "stop" else job.text.add(token.token_id)
        if job.text.stopped:
            reason = "stop"
        elif reason is not None:
            text += job.text.end()
        if reason is not None:
            self._end(job, ReplyPart(text, reason, job.prompt_tokens, job.written))
        elif text:
            job.deliver(ReplyPart(text))

    def _start(self, job: _Job) -> None:
        """Pass a prepared request to the decoder."""
        if job not in self._jobs:
            return
        try:
            prompt = job.prompt.result()
            job.prompt_tokens = len(prompt)
            self._decoder.add(job, prompt, job.request.options)
        except CancelledError:
            self._forget(job)
        except Exception as error:
            self._end(job, error)

    def _end(self, job: _Job, last: Arrival) -> None:
        self._forget(job)
        job.deliver(last)

    def _forget(self, job: _Job) -> None:
        self._decoder.remove(job)
        with self._lock:
            self._jobs.discard(job)

    def _fail_all(self) -> None:
        self._fail(list(self._jobs), ModelUnavailableError("the model was shut down"))

    def _fail(self, jobs: Sequence[_Job], error: Exception) -> None:
        for job in jobs:
            job.prompt.cancel()  # nobody waits for one that is not made yet
            self._end(job, error)

    def _new_decoder(self) -> ContinuousDecoder[_Job]:
        return ContinuousDecoder(
            self._model.llm, self._model.eos_ids, most_running=self._most_running
        )


_OVERFLOW_HINT = "load the model in bfloat16 or float32"


def _deliver_to(arrivals: asyncio.Queue[Arrival]) -> Callable[[Arrival], None]:
    """Return what puts an arrival into the queue of the running loop, from another thread."""
    loop = asyncio.get_running_loop()

    def deliver(arrival: Arrival) -> None:
        with suppress(RuntimeError):  # the loop was closed, and its reader with it
            loop.call_soon_threadsafe(arrivals.put_nowait, arrival)

    return deliver


def _checked(arrival: Arrival) -> ReplyPart:
    if isinstance(arrival, Exception):
        raise arrival
    return arrival


class ReplyText:
    """Turns a reply's tokens into pieces of text that never have to be taken back.

    Held back are the bytes of a character that is not complete, and what may become a stop text.

    Args:
        tokenizer: The model's.
        stop: Texts that end the reply.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, stop: Sequence[str] = ()) -> None:
        self._tokenizer = tokenizer
        self._stop = tuple(stop)
        self._ids: list[int] = []
        self._shown = 0
        self._held = ""
        self.stopped = False

    def add(self, token_id: int) -> str:
        """Return the text that may be shown now; `stopped` says if a stop text was met."""
        self._ids.append(token_id)
        # A token's text depends on the one before it, so the last shown piece is decoded again.
        text = self._decode(self._ids)
        waiting = len(self._ids) - self._shown
        if text.endswith(_UNFINISHED) and waiting < _LONGEST_CHARACTER:
            return ""
        new = text[len(self._decode(self._ids[: self._shown])) :]
        self._ids = self._ids[self._shown :]
        self._shown = len(self._ids)
        return self._release(self._held + new)

    def end(self) -> str:
        """Return what was held back; call it when no token follows and no stop text was met."""
        new = self._decode(self._ids)[len(self._decode(self._ids[: self._shown])) :]
        rest = self._release(self._held + new)
        return rest if self.stopped else rest + self._held

    def _release(self, text: str) -> str:
        """Return what cannot belong to a stop text and hold back the rest."""
        places = [place for stop in self._stop if (place := text.find(stop)) >= 0]
        if places:
            self.stopped = True
            self._held = ""
            return text[: min(places)]
        kept = max((_overlap(text, stop) for stop in self._stop), default=0)
        self._held = text[len(text) - kept :]
        return text[: len(text) - kept]

    def _decode(self, ids: list[int]) -> str:
        return str(
            self._tokenizer.decode(
                ids, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )


def _overlap(text: str, stop: str) -> int:
    """Return the length of the longest end of the text that a stop text begins with."""
    longest = min(len(text), len(stop) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(stop[:size])), 0)
