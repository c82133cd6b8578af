"""Continuous batching over a Hugging Face causal language model."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import PreTrainedModel

from hoptrail.core.errors import InputError
from hoptrail.models.graph_llm.architecture import context_of, language_head
from hoptrail.models.graph_llm.generation import SamplingOptions, sample
from hoptrail.models.graph_llm.ragged_cache import RaggedCache

_PREFILL_TOKENS = {"cpu": 512}
Key = TypeVar("Key", bound=Hashable)
FinishReason = Literal["stop", "length", "error"]


@dataclass(frozen=True, slots=True)
class DecodedToken(Generic[Key]):
    """One token of one request.

    Attributes:
        key: The request's.
        token_id: The token; an end-of-sequence token where `finish_reason` is "stop", -1 where
            it is "error".
        finish_reason: Why the request is over, None while it goes on: an end-of-sequence token,
            the length that it or the context allows, or logits that are no numbers.
    """

    key: Key
    token_id: int
    finish_reason: FinishReason | None = None


@dataclass(slots=True)
class _Request(Generic[Key]):
    """A request's state; `tokens` is the length of its prompt with the longest reply."""

    key: Key
    options: SamplingOptions
    generator: torch.Generator
    room: int
    tokens: int
    written: int = 0
    last: int = field(default=-1)


class ContinuousDecoder(Generic[Key]):
    """Continues many requests at once, each joining and leaving when it likes.

    Iteration-level scheduling (Orca, Yu et al. 2022, section 3.1): requests that were added are
    prefilled at the next step, and from then on each step gives every running request one token.
    A request's tokens do not depend on those that run beside it, up to rounding. Not for several
    threads at once.

    Args:
        llm: A decoder with rotary positions (see `BaseModel`), or one wrapped by peft.
        eos_ids: Tokens that end a reply.
        most_running: Requests decoded together; others wait in the order they were added.
        most_tokens: Requests decoded together times the length of the longest with its reply;
            what would pass it waits, and is decoded alone if need be. It bounds the memory.
        prefill_tokens: A step prefills at most so many tokens, padding included, or a single
            request, so that prompts do not keep the running replies waiting for long. By default
            few on a processor, which gains nothing from more at once.

    Raises:
        SettingsError: If the model has no output layer.
    """

    def __init__(
        self,
        llm: PreTrainedModel,
        eos_ids: Collection[int],
        *,
        most_running: int = 32,
        most_tokens: int = 65_536,
        prefill_tokens: int | None = None,
    ) -> None:
        self._llm = llm
        self._head = language_head(llm)
        self._eos_ids = frozenset(eos_ids)
        self._most_running, self._most_tokens = most_running, most_tokens
        self._prefill_tokens = prefill_tokens or _PREFILL_TOKENS.get(llm.device.type, 8192)
        self._context = context_of(llm.config)
        self._waiting: OrderedDict[Key, tuple[_Request[Key], Tensor]] = OrderedDict()
        self._running: list[_Request[Key]] = []
        self._cache = RaggedCache(
            llm.config.num_hidden_layers,
            most_rows=most_running,
            most_columns=self._context,
            most_tokens=max(most_tokens, self._context),
        )

    def __len__(self) -> int:
        """Return the number of requests, running and waiting."""
        return len(self._running) + len(self._waiting)

    @property
    def running(self) -> int:
        """Number of requests that the last step continued and that are not over."""
        return len(self._running)

    def add(self, key: Key, embeddings: Tensor, options: SamplingOptions | None = None) -> None:
        """Queue a request for the next step.

        Args:
            key: Names the request in `step` and `remove`.
            embeddings: The prompt, shape (length, hidden size), at least one token.
            options: How to continue it.

        Raises:
            InputError: If the prompt leaves no room in the context, has another shape than the
                model's embeddings, or holds NaN or infinite values.
        """
        options = options or SamplingOptions()
        length, hidden = embeddings.shape[0], self._llm.config.hidden_size
        if embeddings.ndim != 2 or embeddings.shape[1] != hidden or not length:
            raise InputError(
                f"a prompt of shape {tuple(embeddings.shape)} does not fit the model",
                hint=f"the shape is (at least 1, {hidden})",
            )
        if length >= self._context:
            raise InputError(
                f"the prompt has {length} tokens and the context holds {self._context}",
                hint="shorten the prompt",
            )
        embeddings = embeddings.detach().to(self._llm.device, self._llm.dtype)
        if not bool(torch.isfinite(embeddings).all()):
            raise InputError("the prompt's embeddings hold NaN or infinite values")
        room = min(options.max_new_tokens, self._context - length)
        request = _Request(key, options, options.generator(), room, length + room)
        self._waiting[key] = (request, embeddings)

    def remove(self, key: Key) -> None:
        """Drop a request, running or waiting; unknown keys are ignored."""
        self._waiting.pop(key, None)
        for row, request in enumerate(self._running):
            if request.key == key:
                self._leave(row)
                return

    @torch.inference_mode()
    def step(self) -> list[DecodedToken[Key]]:
        """Give every running request its next token, those that join included."""
        running = len(self._running)
        decoded = self._continue() if running else []
        joining = self._next_joining()
        if joining:
            decoded += self._prefill(joining)
        over = {token.key for token in decoded if token.finish_reason}
        for row in reversed(range(len(self._running))):
            if self._running[row].key in over:
                self._leave(row)
        return decoded

    def _next_joining(self) -> list[tuple[_Request[Key], Tensor]]:
        """Take from the queue what the free rows and the step's prefill allow."""
        joining: list[tuple[_Request[Key], Tensor]] = []
        prompt, whole = 0, max((request.tokens for request in self._running), default=0)
        while self._waiting and len(self._running) + len(joining) < self._most_running:
            request, embeddings = next(iter(self._waiting.values()))
            prompt, whole = max(prompt, len(embeddings)), max(whole, request.tokens)
            rows = len(self._running) + len(joining) + 1
            if rows > 1 and whole * rows > self._most_tokens:
                break
            if joining and prompt * (len(joining) + 1) > self._prefill_tokens:
                break
            joining.append(self._waiting.popitem(last=False)[1])
        return joining

    def _prefill(self, joining: list[tuple[_Request[Key], Tensor]]) -> list[DecodedToken[Key]]:
        lengths = [len(embeddings) for _, embeddings in joining]
        self._cache.begin_prefill(lengths)
        # Padded on the right: no token attends to what comes after it, so no mask is needed.
        hidden = self._forward(
            pad_sequence([embeddings for _, embeddings in joining], batch_first=True),
            torch.arange(max(lengths), device=self._llm.device)[None],
        )
        ends = torch.tensor(lengths, device=hidden.device) - 1
        requests = [request for request, _ in joining]
        self._running += requests
        return self._choose(requests, hidden[torch.arange(len(lengths)), ends])

    def _continue(self) -> list[DecodedToken[Key]]:
        positions = self._cache.begin_step(self._llm.device)
        tokens = torch.tensor([request.last for request in self._running], device=positions.device)
        columns = torch.arange(self._cache.longest + 1, device=positions.device)
        embeddings = self._llm.get_input_embeddings()(tokens[:, None])
        hidden = self._forward(embeddings, positions, columns <= positions)
        return self._choose(self._running, hidden[:, 0])

    def _forward(self, embeddings: Tensor, positions: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return the last hidden states, shape (n, length, hidden size)."""
        output = self._llm.get_decoder()(
            inputs_embeds=embeddings,
            attention_mask=mask,
            position_ids=positions,
            past_key_values=self._cache,
            use_cache=True,
        )
        self._cache.end()
        hidden: Tensor = output.last_hidden_state
        return hidden

    def _choose(self, requests: Sequence[_Request[Key]], hidden: Tensor) -> list[DecodedToken[Key]]:
        """Choose each request's next token from its hidden state, shape (n, hidden size)."""
        logits: Tensor = self._head(hidden)
        finite = torch.isfinite(hidden).all(-1)
        greedy = torch.where(finite, logits.argmax(-1), -1).tolist()
        decoded = []
        for row, request in enumerate(requests):
            token = greedy[row]
            if token >= 0 and not request.options.is_greedy:
                token = sample(logits[row], request.options, request.generator)
            request.last = token
            request.written += 1
            decoded.append(DecodedToken(request.key, token, self._finish_reason(request)))
        return decoded

    def _finish_reason(self, request: _Request[Key]) -> FinishReason | None:
        if request.last < 0:
            return "error"
        if request.last in self._eos_ids:
            return "stop"
        return "length" if request.written >= request.room else None

    def _leave(self, row: int) -> None:
        self._cache.remove(row)
        last = self._running.pop()
        if row < len(self._running):
            self._running[row] = last


def decode_all(
    llm: PreTrainedModel,
    prompts: Sequence[Tensor],
    eos_ids: Collection[int],
    options: SamplingOptions | None = None,
    *,
    most_running: int = 32,
) -> list[list[int]]:
    """Return each prompt's reply as token ids, without the end-of-sequence token.

    Args:
        llm: The model.
        prompts: Embeddings, each of shape (length, hidden size).
        eos_ids: Tokens that end a reply.
        options: How to continue each.
        most_running: Prompts decoded together.

    Raises:
        InputError: If a prompt cannot be continued; see `ContinuousDecoder.add`.
    """
    decoder = ContinuousDecoder[int](llm, eos_ids, most_running=most_running)
    for number, prompt in enumerate(prompts):
        decoder.add(number, prompt, options)
    replies: list[list[int]] = [[] for _ in prompts]
    while len(decoder):
        for token in decoder.step():
            if token.finish_reason not in ("stop", "error"):
                replies[token.key].append(token.token_id)
    return replies
