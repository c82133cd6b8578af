"""The parts of a reply in LangChain's form."""

from __future__ import annotations

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk

from hoptrail.models.failures import DroppedStreamError
from hoptrail.models.graph_llm.reply_part import ReplyPart


class ReplyChunks:
    """Puts the parts of one reply into LangChain's chunks.

    Args:
        name: Of the model, for the reply's metadata.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._finish_reason: str | None = None
        self._usage: UsageMetadata | None = None

    def take(self, part: ReplyPart) -> ChatGenerationChunk | None:
        """Return the chunk for the text of a part, None where it has none."""
        self._finish_reason = part.finish_reason or self._finish_reason
        if part.prompt_tokens is not None and part.completion_tokens is not None:
            self._usage = UsageMetadata(
                input_tokens=part.prompt_tokens,
                output_tokens=part.completion_tokens,
                total_tokens=part.prompt_tokens + part.completion_tokens,
            )
        if not part.text:
            return None
        return ChatGenerationChunk(message=AIMessageChunk(content=part.text))

    def end(self) -> ChatGenerationChunk:
        """Return the last chunk: why the reply ended and what it took.

        Raises:
            DroppedStreamError: If nothing says that the reply is complete.
        """
        if self._finish_reason is None:
            raise DroppedStreamError("the reply's stream ended early")
        message = AIMessageChunk(
            content="",
            usage_metadata=self._usage,
            response_metadata={"finish_reason": self._finish_reason, "model_name": self._name},
            chunk_position="last",
        )
        return ChatGenerationChunk(
            message=message, generation_info={"finish_reason": self._finish_reason}
        )
