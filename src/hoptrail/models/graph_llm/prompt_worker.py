"""Makes soft prompts in a thread of its own, together for all requests that wait."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from itertools import groupby
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from hoptrail.core.errors import InputError
from hoptrail.models.graph_llm.generation import GenerationRequest
from hoptrail.models.graph_llm.prompt import messages_prompt

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama, ModelInput

_MOST_AT_ONCE = 4  # requests prepared together; with more, the first would wait for the last
_Job = tuple[GenerationRequest, "Future[Tensor]"]


class PromptWorker:
    """Embeds graphs and prompts while other requests are decoded.

    A request with a graph gets the prompt that the model was trained on: the text of its last user
    message as the question, the text form and the graph tokens. One without gets its messages in
    the chat template of the base model.

    Args:
        model: The model.
    """

    def __init__(self, model: GraphLlama) -> None:
        self._model = model
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="graph-llm-prompts", daemon=True)
        self._thread.start()

    def submit(self, request: GenerationRequest) -> Future[Tensor]:
        """Return the soft prompt to come, shape (length, hidden size).

        It raises InputError if the request is too long or its graph does not fit the model.
        """
        future: Future[Tensor] = Future()
        self._jobs.put((request, future))
        return future

    def close(self) -> None:
        """Finish what was submitted and end the thread."""
        self._jobs.put(None)
        self._thread.join()

    @torch.inference_mode()
    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            jobs = [job, *self._waiting()]
            wanted = [job for job in jobs if job[1].set_running_or_notify_cancel()]
            for _, group in groupby(wanted, key=_reply_tokens):
                self._make(list(group))

    def _waiting(self) -> list[_Job]:
        jobs: list[_Job] = []
        while len(jobs) < _MOST_AT_ONCE - 1 and not self._jobs.empty():
            job = self._jobs.get()
            if job is None:
                self._jobs.put(None)
                break
            jobs.append(job)
        return jobs

    def _make(self, jobs: Sequence[_Job]) -> None:
        """Make the prompts of requests that leave equal room for the reply."""
        try:
            prompts = self._soft_prompts([request for request, _ in jobs])
        except Exception as error:
            if len(jobs) == 1:
                jobs[0][1].set_exception(error)
            else:  # one of them is at fault, and the others must not suffer from it
                for job in jobs:
                    self._make([job])
            return
        for (_, future), prompt in zip(jobs, prompts, strict=True):
            future.set_result(prompt)

    def _soft_prompts(self, requests: Sequence[GenerationRequest]) -> list[Tensor]:
        asked = [(_question(request), request.graph, ()) for request in requests if request.graph]
        with_graph = iter(
            self._model.prepare_all(asked, reply_tokens=requests[0].options.max_new_tokens)
        )
        return self._model.soft_prompts(
            [next(with_graph) if request.graph else self._chat(request) for request in requests]
        )

    def _chat(self, request: GenerationRequest) -> ModelInput:
        from hoptrail.models.graph_llm.model import ModelInput

        room = self._model.base.context_length - request.options.max_new_tokens
        return ModelInput(messages_prompt(self._model.base, request.messages, room=room))


def _question(request: GenerationRequest) -> str:
    texts = [message["content"] for message in request.messages if message["role"] == "user"]
    if not texts:
        raise InputError(
            "a graph came without a question", hint="ask it in a message of the role user"
        )
    return texts[-1]


def _reply_tokens(job: _Job) -> int:
    return job[0].options.max_new_tokens
