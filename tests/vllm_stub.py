"""A real HTTP server on loopback that takes soft prompts as vLLM's completions do."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from hoptrail.testing.faults import LoopbackHandler, LoopbackServer

JsonDict = dict[str, Any]
_DTYPES = (torch.float32, torch.bfloat16, torch.float16)


class _Handler(LoopbackHandler):
    """Answers one connection."""

    stub: VllmStubServer

    def do_GET(self) -> None:
        self.send_json(200, {"object": "list", "data": [{"id": self.stub.model}]})

    def do_POST(self) -> None:
        body = self.read_json()
        expected = f"Bearer {self.stub.api_key}"
        if self.stub.api_key and self.headers.get("authorization") != expected:
            self.send_json(401, {"error": "Unauthorized"})
        elif self.path != "/v1/completions":
            self.send_json(404, {"detail": "Not Found"})
        elif refusal := self.stub.refusal(body):
            status, message = refusal
            self.send_json(status, {"error": {"message": message, "type": "BadRequestError"}})
        else:
            self._stream(body, len(self.stub.prompts[-1]))

    def _stream(self, body: JsonDict, prompt_tokens: int) -> None:
        self.start_events()
        for text in self.stub.reply:
            self._send_choices([{"index": 0, "text": text, "finish_reason": None}])
        if self.stub.breaks_off:
            self.end_events()
            return
        self._send_choices([{"index": 0, "text": "", "finish_reason": "stop"}])
        if (body.get("stream_options") or {}).get("include_usage"):
            written = len(self.stub.reply) + 1
            usage = {"prompt_tokens": prompt_tokens, "completion_tokens": written}
            self._send_choices([], usage=usage)
        self.send_event("[DONE]")
        self.end_events()

    def _send_choices(self, choices: list[JsonDict], **more: JsonDict) -> None:
        frame = {"id": "cmpl-stub", "object": "text_completion", "model": self.stub.model}
        self.send_event(json.dumps({**frame, "choices": choices, **more}, ensure_ascii=False))


@dataclass
class VllmStubServer(LoopbackServer):
    """Serves `/v1/models` and the streamed `/v1/completions` for prompts that are embeddings.

    A prompt is decoded as vLLM decodes it: base64 of a tensor that `torch.load` reads with
    `weights_only`, of a floating type and the shape (length, hidden size). What vLLM refuses is
    refused here, too.

    Args:
        model: Name of the model that is served.
        hidden: Length of its embeddings.
        reply: Pieces of text that each request is answered with.
        api_key: Key that clients must send; empty for none.
        enabled: Whether soft prompts are taken, `--enable-prompt-embeds` of vLLM.
        breaks_off: Whether streams end before their last event.

    Attributes:
        bodies: The requests that were answered.
        prompts: Their prompts.
    """

    handler = _Handler

    model: str
    hidden: int
    reply: tuple[str, ...] = ("Var", "de")
    api_key: str = ""
    enabled: bool = True
    breaks_off: bool = False
    bodies: list[JsonDict] = field(default_factory=list, init=False)
    prompts: list[Tensor] = field(default_factory=list, init=False)

    def refusal(self, body: JsonDict) -> tuple[int, str] | None:
        """Return the status and message that a request is refused with; record it otherwise."""
        if body.get("model") != self.model:
            return 404, f"The model `{body.get('model')}` does not exist."
        if not self.enabled:
            return 400, "You must set `--enable-prompt-embeds` to input `prompt_embeds`."
        try:
            prompt = decode_prompt(body["prompt_embeds"])
        except Exception as error:
            return 400, f"prompt_embeds: {error}"
        if prompt.dtype not in _DTYPES or prompt.ndim != 2 or prompt.shape[1] != self.hidden:
            return 400, f"prompt_embeds of {prompt.dtype} {tuple(prompt.shape)} do not fit"
        self.bodies.append(body)
        self.prompts.append(prompt)
        return None


def decode_prompt(encoded: str) -> Tensor:
    """Return the tensor of a `prompt_embeds` field.

    Raises:
        ValueError: If it is not base64 of one tensor.
    """
    file = io.BytesIO(base64.b64decode(encoded, validate=True))
    tensor = torch.load(file, weights_only=True, map_location="cpu")
    if not isinstance(tensor, Tensor):
        raise ValueError("not a tensor")
    return tensor
