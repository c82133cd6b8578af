"""A reranker behind the HTTP interface that Jina, Cohere, vLLM and llama.cpp share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import numpy as np

from hoptrail.core.budget import Limits, Meter, current_meter, seconds_within
from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import (
    BudgetExceededError,
    ModelReplyError,
    ModelUnavailableError,
    SettingsError,
)
from hoptrail.core.settings import Price
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import NodeUsage
from hoptrail.models.caller import Caller, RefusedError
from hoptrail.models.failures import Failure
from hoptrail.models.loop_resources import background_loop, loop_resources

_ENDINGS = ("rerank", "reranking")
_LONGEST_DETAIL = 300


class HttpReranker:
    """Sends a question with its passages in one call; safe to share between threads.

    The request is `{"model", "query", "documents"}`, the reply a list `results` of objects with
    `index` and `relevance_score`. What a call costs is booked to the account of the run.

    Source: https://jina.ai/reranker, https://docs.cohere.com/reference/rerank, the servers of vLLM
    and llama.cpp.

    Args:
        name: Full name, for messages.
        url: Address of the endpoint itself.
        key: Sent as a bearer token; empty for none.
        seconds: Longest time for one order, further tries included.
        max_retries: Tries after a transient failure, within that time.
        price: Dollars per million tokens, None where not known.
        caller: Tries again, and holds calls back while the server asks to wait.
    """

    def __init__(
        self,
        name: str,
        url: str,
        key: str,
        *,
        seconds: float,
        max_retries: int,
        price: Price | None,
        caller: Caller,
    ) -> None:
        self._name = name
        self._url = url
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._seconds = seconds
        self._max_retries = max_retries
        self._price = price
        self._caller = caller

    @property
    def name(self) -> str:
        """The model's full name."""
        return self._name

    def score(self, question: str, passages: Sequence[str]) -> FloatArray:
        """Return the server's score of each passage, shape (len(passages),), float32.

        Raises:
            ModelKeyError: If the server refuses the key.
            ModelUnavailableError: If it refuses the call, cannot be reached, or is too slow.
            ModelReplyError: If it sent other than one number for each passage.
        """
        outer = current_meter()
        meter = Meter("rerank", Limits(max_seconds=seconds_within(self._seconds)))
        try:
            reply = background_loop().run(self._ask(question, list(passages), meter))
        except BudgetExceededError as error:
            raise ModelUnavailableError(
                f"reranker {self._name} gave no scores within {self._seconds:g} s",
                hint="lower reranker_candidates, or raise reranker_seconds",
            ) from error
        finally:
            if outer is not None:
                outer.add(_booked(meter.usage))
        return self._read(reply, len(passages))

    async def _ask(self, question: str, documents: list[str], meter: Meter) -> Any:
        model = self._name.partition(":")[2]
        body = {"model": model, "query": question, "documents": documents}
        client = (await loop_resources()).client

        async def send(_: object) -> Any:
            response = await client.post(
                self._url, json=body, headers=self._headers, timeout=self._seconds
            )
            if response.is_error:
                raise _StatusError(response)
            try:
                return response.json()
            except ValueError as error:
                raise self._unusable("sent no JSON") from error

        # Every text is read with the question beside it.
        tokens = sum(map(estimate_tokens, documents)) + len(documents) * estimate_tokens(question)
        paid = NodeUsage(
            usd=self._price.usd(tokens) if self._price else 0.0,
            unpriced_calls=0 if self._price else 1,
        )

        def book_failure(failure: Failure) -> None:
            if failure.in_vain:
                meter.add(paid)

        try:
            reply = await self._caller.call(
                send,
                meter=meter,
                timeout=self._seconds,
                max_retries=self._max_retries,
                # Who does without does not wait for a server to be started.
                may_repeat=lambda failure: failure.cause != "no_server",
                on_failure=book_failure,
            )
        except RefusedError as error:  # a chat model's feature could be left out here
            raise ModelUnavailableError(f"reranker {self._name} is unavailable: {error}") from error
        meter.add(paid)
        return reply

    def _read(self, reply: Any, wanted: int) -> FloatArray:
        """Return the scores of a reply in the order of the passages, shape (wanted,).

        Raises:
            ModelReplyError: If they are not what was asked for.
        """
        rows = reply.get("results", reply.get("data")) if isinstance(reply, Mapping) else None
        if not isinstance(rows, Sequence):
            raise self._unusable("sent no list of results")
        if len(rows) != wanted:
            raise self._unusable(f"sent {len(rows)} scores for {wanted} passages")
        scores = np.full(wanted, np.nan, dtype=np.float32)
        for row in rows:
            place, score = _place_and_score(row)
            if place is None or not 0 <= place < wanted:
                raise self._unusable(f"sent a score for passage {place!r} of {wanted}")
            if not np.isnan(scores[place]):
                raise self._unusable(f"sent two scores for passage {place} of {wanted}")
            if score is None or not np.isfinite(score):
                raise self._unusable(f"sent a score that is no number for passage {place}")
            scores[place] = score
        return scores

    def _unusable(self, what: str) -> ModelReplyError:
        return ModelReplyError(
            f"reranker {self._name} {what}", hint="check the server, or use another reranker"
        )


class _StatusError(httpx.HTTPStatusError):
    """A reply with an HTTP error, in the form of the providers' libraries."""

    def __init__(self, response: httpx.Response) -> None:
        self.status_code = response.status_code
        try:
            self.body: Any = response.json()
        except ValueError:
            self.body = response.text
        super().__init__(_words(self.body), request=response.request, response=response)


def rerank_url(base_url: str) -> str:
    """Return the address of the endpoint: the given one, or `/rerank` below it.

    Raises:
        SettingsError: If it is no address of the web.
    """
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as error:
        raise SettingsError(f"reranker_base_url {base_url!r}: {error}") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError(
            f"reranker_base_url {base_url!r} is no address",
            hint="write it as http://127.0.0.1:8080/v1",
        )
    path = url.path.rstrip("/")
    if not path.endswith(_ENDINGS):
        path += "/rerank"
    return str(url.copy_with(path=path))


def _words(body: Any) -> str:
    """Return what a server says of an error: each has its own field for it."""
    if isinstance(body, Mapping):
        said = next((body[name] for name in ("message", "detail", "error") if body.get(name)), body)
        body = said.get("message", said) if isinstance(said, Mapping) else said
    return " ".join(str(body).split())[:_LONGEST_DETAIL]


def _place_and_score(row: Any) -> tuple[int | None, float | None]:
    """Return what a row of a reply tells, None for what is not of its kind."""
    if not isinstance(row, Mapping):
        return None, None
    place, score = row.get("index"), row.get("relevance_score", row.get("score"))
    is_place = isinstance(place, int) and not isinstance(place, bool)
    is_score = isinstance(score, int | float) and not isinstance(score, bool)
    return place if is_place else None, score if is_score else None


def _booked(spent: NodeUsage) -> NodeUsage:
    """Return the calls of a reranker where they are told apart from a model's."""
    return NodeUsage(
        usd=spent.usd, rerank_calls=spent.llm_calls, unpriced_calls=spent.unpriced_calls
    )
