"""A reply in the OpenAI forms: one object, or server-sent events."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

from hoptrail.models.graph_llm.reply_part import ReplyPart

DONE = b"data: [DONE]\n\n"


class CompletionForm:
    """Writes the parts of one reply.

    Args:
        model: Name of the model.
        include_usage: Whether a stream ends with the token counts.
    """

    def __init__(self, model: str, *, include_usage: bool = False) -> None:
        self._include_usage = include_usage
        self._frame = {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": model,
        }

    def whole(self, parts: list[ReplyPart]) -> dict[str, Any]:
        """Return the object of a reply that is complete."""
        message = {"role": "assistant", "content": "".join(part.text for part in parts)}
        choice = {"index": 0, "message": message, "finish_reason": parts[-1].finish_reason}
        return {
            **self._frame,
            "object": "chat.completion",
            "choices": [{**choice, "logprobs": None}],
            "usage": usage_of(parts[-1]),
        }

    def beginning(self) -> bytes:
        """Return the first event."""
        return self._event({"role": "assistant", "content": ""})

    def part(self, part: ReplyPart) -> bytes:
        """Return the events of a part; the last part's end with the token counts."""
        events = self._event({"content": part.text}) if part.text else b""
        if part.finish_reason is not None:
            events += self._event({}, part.finish_reason)
            if self._include_usage:
                events += event({**self._chunk([]), "usage": usage_of(part)})
        return events

    def _event(self, delta: dict[str, str], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return event(self._chunk([choice]))

    def _chunk(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        usage = {"usage": None} if self._include_usage else {}
        return {**self._frame, "object": "chat.completion.chunk", "choices": choices, **usage}


def usage_of(part: ReplyPart) -> dict[str, int]:
    """Return the token counts of a reply's last part."""
    prompt, written = part.prompt_tokens or 0, part.completion_tokens or 0
    return {
        "prompt_tokens": prompt,
        "completion_tokens": written,
        "total_tokens": prompt + written,
    }


def event(value: dict[str, Any]) -> bytes:
    """Return a server-sent event that carries JSON."""
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()
