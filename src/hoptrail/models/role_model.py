"""A chat model in one role: text or typed values out, every call accounted for."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel

from hoptrail.core.budget import COUNTS_ESTIMATED, Meter
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.progress import Follow
from hoptrail.core.reply_conventions import is_abstention
from hoptrail.core.settings import Settings
from hoptrail.core.tokens import TokenCounter
from hoptrail.core.types import NodeUsage
from hoptrail.models.caller import OPTIONAL, Caller, Heard, RefusedError
from hoptrail.models.choice import call_seconds, is_on_this_machine
from hoptrail.models.failures import Failure
from hoptrail.models.local.model_files import check_of
from hoptrail.models.meter import (
    LONGEST_REPLY,
    context_for,
    cuts_silently,
    measure_call,
    require_all_read,
    token_counter_for,
)
from hoptrail.models.prices import known_price
from hoptrail.models.provider import calls_ahead, open_chat_model
from hoptrail.models.streamed_reply import (
    UNSEEN,
    FinalAnswerSplitter,
    Present,
    ShownReply,
    StreamedReply,
    first_line,
)
from hoptrail.models.structured import ask_again, read_object, whole_characters, with_schema
from hoptrail.models.traced_call import TracedCall, traced_call

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from hoptrail.models.graph_llm.graph_input import GraphInput

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ScoredReply:
    """A reply, and how sure its model was of it.

    `probability` is the geometric mean of its tokens' probabilities, 0 to 1; None where the server
    does not tell them.
    """

    text: str
    probability: float | None = None


_SERVED_CALL = 0.5  # seconds
_SERVED_TOKEN = 0.005  # seconds, of a reply
_OF_TWO_CORES: Mapping[str, float] = {"read_per_second": 64.0, "written_per_second": 30.0}
"""Of a model file that was not checked: 1.5B parameters of four bits."""


class RoleModel:
    """The chat model of one role.

    Args:
        role: What the model is used for.
        name: Full name, `provider:model` or a registered name.
        settings: Timeout, retries, prices and server.
        caller: Shared state of all that call this model.
    """

    def __init__(self, role: str, name: str, settings: Settings, caller: Caller) -> None:
        self.role = role
        self.name = name
        self._settings = settings
        self._caller = caller

    def reading_seconds(self, tokens: int) -> float | None:
        """Return how long a model file takes to read, None where it has not been measured."""
        check = check_of(self.name)
        return round(tokens / max(check["read_per_second"], 0.1), 1) if check else None

    def calling_seconds(self, spent: NodeUsage, concurrency: int) -> float:
        """Return about how long calls take.

        Args:
            spent: Calls and tokens of them all.
            concurrency: How many are sent at a time; a model file makes one after the other.
        """
        if self.name.startswith("gguf:"):
            check = check_of(self.name) or _OF_TWO_CORES
            reading = spent.prompt_tokens / max(check["read_per_second"], 0.1)
            return reading + spent.completion_tokens / max(check["written_per_second"], 0.1)
        replies = spent.completion_tokens * _SERVED_TOKEN
        return (spent.llm_calls * _SERVED_CALL + replies) / concurrency

    async def prompts_ahead(self) -> int:
        """Return how many prompts the model reads before one that is sent now; 0 if not told."""
        return await calls_ahead(self.name)

    async def reply(
        self,
        messages: Sequence[BaseMessage],
        *,
        meter: Meter,
        temperature: float | None = None,
        max_tokens: int | None = None,
        graph: GraphInput | None = None,
        shows_answer: bool = False,
        message_id: str | None = None,
        follow: Follow | None = None,
        withhold: Callable[[str], bool] = is_abstention,
        present: Present = first_line,
    ) -> str:
        """Return the text of the model's reply.

        Args:
            messages: The prompt.
            meter: Account of the call.
            temperature: Sampling temperature; the server's default if None.
            max_tokens: Longest reply; the server's default if None.
            graph: Subgraph that the question is about, for a graph LLM.
            shows_answer: Whether the answer after the marker is streamed to LangChain callbacks as
                a message of its own; nothing else of any call is.
            message_id: Id of the streamed message: a node that returns its answer under the same
                id does not show it twice.
            follow: Told of each piece of a reply whose answer is not streamed.
            withhold: Whether the beginning of a final answer is an abstention, not to be streamed.
            present: What of the text after the marker is the answer.

        Raises:
            ModelUnavailableError: If the model refuses or cannot be reached.
            ModelReplyError: If the reply has no text.
            BudgetExceededError: If the run's calls, tokens or seconds are spent.
        """
        options = {"temperature": temperature, "max_tokens": max_tokens, "graph": graph}
        if shows_answer:

            def new_try() -> StreamedReply:
                return ShownReply(FinalAnswerSplitter(withhold, present), message_id)

            message = await self._stream(messages, options, meter, new_try)
        elif follow is not None or is_on_this_machine(self.name):
            # A model of this machine may take long, but not be silent for long.
            message = await self._stream(messages, options, meter, lambda: StreamedReply(follow))
        else:
            message = await self._complete(messages, options, meter)
        return self._text_of(message)

    async def scored_reply(
        self,
        messages: Sequence[BaseMessage],
        *,
        meter: Meter,
        max_tokens: int,
        follow: Follow | None = None,
    ) -> ScoredReply:
        """Return the likeliest reply and how sure the model was of it.

        Nothing is shown to LangChain callbacks.

        Args:
            messages: The prompt.
            meter: Account of the call.
            max_tokens: Longest reply.
            follow: Told of each piece of the reply.

        Raises:
            ModelUnavailableError: If the model refuses or cannot be reached.
            ModelReplyError: If the reply has no text.
            BudgetExceededError: If the run's calls, tokens or seconds are spent.
        """
        options = {"temperature": 0.0, "max_tokens": max_tokens, "logprobs": True}
        message = await self._stream(messages, options, meter, lambda: StreamedReply(follow))
        return ScoredReply(self._text_of(message), _probability(message))

    def _text_of(self, message: AIMessage) -> str:
        text: str = whole_characters(str(message.text))
        if not text.strip():
            raise ModelReplyError(f"model {self.name} sent no text{_reason(message)}")
        return text

    async def structured(
        self,
        messages: Sequence[BaseMessage],
        schema: type[M],
        *,
        meter: Meter,
        temperature: float = 0.0,
        max_tokens: int | None = None,
    ) -> M:
        """Return an object of the schema: by the model's structured output, else repaired.

        An unreadable reply is asked for once more.

        Raises:
            ModelUnavailableError: If the model refuses or cannot be reached.
            ModelReplyError: If the second reply cannot be read either.
            BudgetExceededError: If the run's calls, tokens or seconds are spent.
        """
        options = {"temperature": temperature, "max_tokens": max_tokens}
        first = await self._complete(messages, options, meter, schema)
        try:
            return await _read(first, schema, meter)
        except ModelReplyError as problem:
            again = ask_again(messages, first, problem.message)
        # A server that ignores tools has never shown the schema to its model.
        if not (first.tool_calls or first.invalid_tool_calls):
            again = with_schema(again, schema)
        second = await self._complete(again, options, meter, schema)
        try:
            return await _read(second, schema, meter)
        except ModelReplyError as problem:
            raise ModelReplyError(
                f"model {self.name} gave no readable {schema.__name__}: {problem.message}"
                f"{_reason(second)}",
                hint="use a larger model for this role",
            ) from problem

    async def token_counter(self) -> TokenCounter:
        """Return the counter of the model's own tokenizer if one is loaded, else the estimate."""
        return token_counter_for(await open_chat_model(self.name, self._settings))

    async def _complete(
        self,
        messages: Sequence[BaseMessage],
        options: Mapping[str, Any],
        meter: Meter,
        schema: type[BaseModel] | None = None,
    ) -> AIMessage:
        options = await self._with_room(messages, options)

        async def send(_: Heard) -> AIMessage:
            configured = await self._open(options, streaming=False)
            if schema is not None:
                return await self._send_typed(configured, messages, schema)
            return await configured.ainvoke(list(messages), config=UNSEEN)

        return await self._traced(send, messages, options, meter)

    async def _stream(
        self,
        messages: Sequence[BaseMessage],
        options: Mapping[str, Any],
        meter: Meter,
        new_try: Callable[[], StreamedReply],
    ) -> AIMessage:
        options = await self._with_room(messages, options)
        tries: list[StreamedReply] = []

        async def send(heard: Heard) -> AIMessage:
            streaming = self._caller.features.accepts("streaming")
            tries.append(new_try())
            configured = await self._open(options, streaming=streaming)
            return await tries[-1].read(configured, messages, heard)

        return await self._traced(send, messages, options, meter, tries)

    async def _traced(
        self,
        send: Callable[[Heard], Awaitable[AIMessage]],
        messages: Sequence[BaseMessage],
        options: Mapping[str, Any],
        meter: Meter,
        tries: Sequence[StreamedReply] | None = None,
    ) -> AIMessage:
        """Return what was sent for, and tell of the call where calls are traced."""
        traced = traced_call("chat", self.name, self._settings, role=self.role, options=options)
        with traced as call:
            call.tell_prompt(messages)
            reply = await self._exchange(send, messages, meter, call, tries)
            call.tell_reply(reply)
        return reply

    async def _exchange(
        self,
        send: Callable[[Heard], Awaitable[AIMessage]],
        messages: Sequence[BaseMessage],
        meter: Meter,
        traced: TracedCall,
        tries: Sequence[StreamedReply] | None = None,
    ) -> AIMessage:
        """Return what was sent for, within its time.

        Args:
            send: Sends the prompt once.
            messages: The prompt.
            meter: Account of the call.
            traced: Is told what the call takes.
            tries: Replies that arrive in pieces; None where one comes as a whole.
        """
        timeout = self._settings.timeout_seconds
        longest = call_seconds(self.name, timeout)
        count = await self.token_counter()
        # The first look at the list of prices takes a quarter of a second.
        price = await asyncio.to_thread(known_price, self.name, self._settings.prices)

        def book(reply: AIMessage | None) -> None:
            usage, is_believed = measure_call(messages, reply, price=price, count=count)
            meter.add(usage)
            traced.book(usage)
            if not is_believed:
                meter.note(f"the server of {self.name} {COUNTS_ESTIMATED}")

        def book_failure(failure: Failure) -> None:
            traced.note_failure(failure)
            arrived = tries[-1].message if tries else None
            if failure.written is not None:
                arrived = AIMessage(failure.written)
            if arrived is not None or failure.in_vain:
                book(arrived)

        def may_repeat(failure: Failure) -> bool:
            if failure.cause == "late" and is_on_this_machine(self.name):
                return False  # it would have to read all of it again
            return not (tries and tries[-1].shown)

        while True:
            try:
                reply = await self._caller.call(
                    send,
                    meter=meter,
                    timeout=longest if tries is None else timeout,
                    first_timeout=longest,
                    max_retries=self._settings.max_retries,
                    may_repeat=may_repeat,
                    on_failure=book_failure,
                )
            except RefusedError as refusal:
                if refusal.failure.written is None:
                    continue
                return AIMessage(refusal.failure.written)
            except asyncio.CancelledError:
                book(tries[-1].message if tries else None)  # the server has read it, and may write
                raise
            book(reply)
            if cuts_silently(self.name):
                require_all_read(self.name, reply, messages, count)
            return reply

    async def _with_room(
        self, messages: Sequence[BaseMessage], options: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return the options with the room that prompt and reply need, where it is to be asked."""
        if not cuts_silently(self.name):
            return options
        longest = options.get("max_tokens") or LONGEST_REPLY
        context = context_for(messages, longest, await self.token_counter())
        return {**options, "num_predict": longest, "num_ctx": context}

    async def _send_typed(
        self, model: BaseChatModel, messages: Sequence[BaseMessage], schema: type[BaseModel]
    ) -> AIMessage:
        if self._caller.features.accepts("tools"):
            options: dict[str, Any] = {}
            if "method" in inspect.signature(model.with_structured_output).parameters:
                # llama.cpp and Ollama hold a reply to a schema; small models miss tools.
                held = is_on_this_machine(self.name)
                options["method"] = "json_schema" if held else "function_calling"
            try:
                typed = model.with_structured_output(schema, include_raw=True, **options)
            except NotImplementedError:
                self._caller.features.refused.add("tools")
            else:
                outcome: Any = await typed.ainvoke(list(messages), config=UNSEEN)
                raw: AIMessage = outcome["raw"]
                return raw
        return await model.ainvoke(with_schema(messages, schema), config=UNSEEN)

    async def _open(self, options: Mapping[str, Any], *, streaming: bool) -> BaseChatModel:
        """Return a copy of the model with the options that it knows.

        A model file whose server has died meanwhile is started again.
        """
        model = await open_chat_model(self.name, self._settings)
        update: dict[str, Any] = {"disable_streaming": not streaming}
        for name, value in options.items():
            refused = name in OPTIONAL and not self._caller.features.accepts(OPTIONAL[name])
            if value is not None and name in type(model).model_fields and not refused:
                update[name] = value
        return model.model_copy(update=update)


def _probability(message: AIMessage) -> float | None:
    """Return how likely a reply's tokens were to their model, as OpenAI and Ollama tell it."""
    told = message.response_metadata.get("logprobs") or ()
    listed = told.get("content") or () if isinstance(told, Mapping) else told
    tokens = [one["logprob"] if isinstance(one, Mapping) else one.logprob for one in listed]
    return math.exp(sum(tokens) / len(tokens)) if tokens else None


async def _read(reply: AIMessage, schema: type[M], meter: Meter) -> M:
    """Read a reply beside the event loop: a broken one takes a while."""
    try:
        async with asyncio.timeout(meter.limits.remaining_seconds()):
            return await asyncio.to_thread(read_object, reply, schema)
    except TimeoutError:
        raise meter.out_of_time() from None


def _reason(message: AIMessage) -> str:
    """Return why a reply may be unusable, as the server says."""
    if message.additional_kwargs.get("refusal"):
        return " (it refused)"
    reason = message.response_metadata.get("finish_reason")
    return f" (finish reason {reason!r})" if reason not in (None, "stop", "tool_calls") else ""
