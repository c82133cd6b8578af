"""Events of a streamed run, in order: nodes, tokens of the answer, hops, the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hoptrail.core.types.answer import Answer, TrailHop
from hoptrail.core.types.record import Record


@dataclass(frozen=True, slots=True)
class NodeEvent(Record):
    """A node has finished; `seconds` is the time it took."""

    node: str
    seconds: float = 0.0
    type: Literal["node"] = "node"


@dataclass(frozen=True, slots=True)
class TokenEvent(Record):
    """A piece of the user-visible answer."""

    text: str
    type: Literal["token"] = "token"


@dataclass(frozen=True, slots=True)
class WaitingEvent(Record):
    """A model of this machine works on other questions first: so many are `ahead`."""

    ahead: int
    type: Literal["waiting"] = "waiting"


@dataclass(frozen=True, slots=True)
class ReadingEvent(Record):
    """A model of this machine reads a prompt of so many tokens, and has read so many of them.

    It takes about `seconds`, None where `hoptrail model check` has not measured the model.
    """

    tokens: int
    seconds: float | None = None
    read: int = 0
    type: Literal["reading"] = "reading"


@dataclass(frozen=True, slots=True)
class DraftEvent(Record):
    """The whole reply of a small model so far: no answer before it has been checked."""

    text: str
    type: Literal["draft"] = "draft"


@dataclass(frozen=True, slots=True)
class HopEvent(Record):
    """A checked hop of the trail."""

    hop: TrailHop
    type: Literal["hop"] = "hop"


@dataclass(frozen=True, slots=True)
class AnswerEvent(Record):
    """The end of the run."""

    answer: Answer
    type: Literal["answer"] = "answer"


Event = NodeEvent | WaitingEvent | ReadingEvent | DraftEvent | TokenEvent | HopEvent | AnswerEvent
