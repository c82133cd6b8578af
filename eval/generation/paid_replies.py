"""Replies of a model kept in a file, so that no prompt is paid for twice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from hoptrail.core.budget import Meter
from hoptrail.core.errors import CostLimitError, ModelUnavailableError
from hoptrail.core.text import dollars
from hoptrail.core.types import NodeUsage
from hoptrail.eval.files.result_files import JsonlLog
from hoptrail.models.chat import RoleModel

M = TypeVar("M", bound=BaseModel)


class PaidReplies:
    """Asks a model, or its earlier reply to the same prompt.

    Attributes:
        usage: What all replies of this run cost, those of earlier, stopped runs included.

    Args:
        model: Writes the replies.
        path: JSON Lines file of the replies.
        max_usd: Dollars after which no further call is made.

    Raises:
        InputError: If the file holds a line that is no JSON object.
    """

    def __init__(self, model: RoleModel, path: Path, *, max_usd: float | None = None) -> None:
        self._model = model
        self._log = JsonlLog(path)
        self._known = {row["prompt"]: row for row in self._log.read()}
        self._log.replace(self._known.values())
        self._max_usd = max_usd
        self._unavailable: ModelUnavailableError | None = None
        self.usage = NodeUsage()

    async def structured(
        self, messages: Sequence[BaseMessage], form: type[M], *, max_tokens: int
    ) -> M:
        """Return the reply to a prompt.

        Raises:
            ModelReplyError: If the model gave no readable reply.
            ModelUnavailableError: If the model cannot be reached; no later call is tried then.
            CostLimitError: At `max_usd`; the replies so far are stored.
        """
        key = self._key(messages)
        known = self._known.get(key)
        if known is not None:
            self.usage += NodeUsage.from_json(known["usage"])
            return form.model_validate(known["reply"])
        self._require_go_on()
        meter = Meter("judge_eval")
        try:
            reply = await self._model.structured(messages, form, meter=meter, max_tokens=max_tokens)
        except ModelUnavailableError as error:
            self._unavailable = error
            raise
        finally:
            self.usage += meter.usage
        row = {"prompt": key, "reply": reply.model_dump(), "usage": meter.usage.to_json()}
        self._known[key] = row
        self._log.append(row)
        return reply

    def _key(self, messages: Sequence[BaseMessage]) -> str:
        told = "\0".join((self._model.name, *(message.text for message in messages)))
        return hashlib.sha256(told.encode()).hexdigest()[:24]

    def _require_go_on(self) -> None:
        if self._unavailable is not None:
            raise self._unavailable
        if self._max_usd is not None and self.usage.usd >= self._max_usd:
            raise CostLimitError(
                f"stopped at {dollars(self.usage.usd)} of {dollars(self._max_usd)}",
                hint="the replies so far are stored; run again with a higher limit to go on",
            )
