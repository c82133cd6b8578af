"""Asks a model the questions of `model_check.jsonl` in the forms in which Hoptrail asks.

Three forms: a short answer over one or two passages (some without an answer, some in other
languages), the same as an object, and a follow-up to be reworded.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources

from langchain_core.messages import HumanMessage
from pydantic import BaseModel, Field

from hoptrail.agents.answering.short_reply import read_short_reply
from hoptrail.agents.decision import PromptedModel
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.text import contains_answer
from hoptrail.core.types import JsonDict, Record
from hoptrail.models.role_model import RoleModel
from hoptrail.prompts.forms.planning import StandaloneQuestion

_MAX_SHORT_TOKENS = 48
_MAX_FORM_TOKENS = 160
_LONG_PROMPT = 600  # words
_WRITTEN = 64  # tokens
_COUNT = "Count from one to one hundred in words, separated by commas."


class ShortAnswer(BaseModel):
    """A short answer."""

    answer: str = Field(description="The answer in a few words, or: I don't know")


@dataclass(frozen=True, slots=True)
class ModelProfile(Record):
    """Measured abilities of a model, shares from 0 to 1.

    `right` of the questions with an answer, `honest` of those without one, `json_kept` and
    `follow_ups` of theirs; `read_per_second` and `written_per_second` are tokens; `seconds` is the
    mean of a short answer.
    """

    questions: int
    right: float
    honest: float
    other_languages: float
    json_kept: float
    follow_ups: float
    read_per_second: float
    written_per_second: float
    seconds: float

    @property
    def keeps_long_forms(self) -> bool:
        """Whether the model does what the longer prompts ask: forms kept, nearly all right.

        It must also say so where the passages do not answer, for longer prompts rely on that.
        """
        is_right = self.right >= 0.9 and self.honest >= 0.8
        return is_right and self.json_kept >= 1 and self.follow_ups >= 1


@dataclass(frozen=True, slots=True)
class CheckedQuestion(Record):
    """A question with what the model replied; `is_right` is also an honest "I don't know"."""

    id: str
    form: str
    question: str
    reply: str
    is_right: bool
    seconds: float


def questions() -> list[JsonDict]:
    """Return the questions that come with the package."""
    file = resources.files("hoptrail.eval").joinpath("model_check.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def check_model(
    model: RoleModel, told: Callable[[int, int], None] = lambda done, total: None
) -> tuple[ModelProfile, list[CheckedQuestion]]:
    """Ask a model all questions and measure how fast it reads and writes.

    Args:
        model: The model.
        told: Hears how many questions are done, of how many.

    Raises:
        ModelUnavailableError: If the model cannot be reached.
    """
    prompted = PromptedModel(model, Meter("model_check"))
    asked = questions()
    rows = []
    for number, question in enumerate(asked, 1):
        started = time.perf_counter()
        reply = await _reply(question, prompted)
        seconds = time.perf_counter() - started
        is_right = _is_right(question, reply)
        rows.append(
            CheckedQuestion(
                question["id"], question["form"], question["question"], reply, is_right, seconds
            )
        )
        told(number, len(asked))
    read, written = await _speeds(model)
    return _profile(asked, rows, read, written), rows


async def _reply(question: JsonDict, model: PromptedModel) -> str:
    """Return what the model makes of a question; empty where its reply is of no use."""
    text = question["question"]
    try:
        if question["form"] == "follow-up":
            lines = [f"Question: {one}\nAnswer: {other}" for one, other in question["history"]]
            reworded = await model.structured(
                "contextualize",
                StandaloneQuestion,
                _MAX_FORM_TOKENS,
                history="\n".join(lines),
                question=text,
            )
            return reworded.question
        evidence = "\n\n".join(question["passages"])
        messages = model.prompts.load("answer_short").render(evidence=evidence, question=text)
        if question["form"] == "json":
            typed = await model.chat.structured(
                messages, ShortAnswer, meter=model.meter, max_tokens=_MAX_FORM_TOKENS
            )
            return typed.answer
        reply = await model.chat.scored_reply(
            messages, meter=model.meter, max_tokens=_MAX_SHORT_TOKENS
        )
        return "; ".join(read_short_reply(reply.text, text, evidence))
    except ModelReplyError:
        return ""


def _is_right(question: JsonDict, reply: str) -> bool:
    if not question["answers"]:
        return not reply
    if question["form"] == "follow-up":
        return all(answer.lower() in reply.lower() for answer in question["answers"])
    return any(contains_answer(reply, answer) or answer in reply for answer in question["answers"])


async def _speeds(model: RoleModel) -> tuple[float, float]:
    """Return tokens a second read and written, by a long prompt, and by a reply of few and many."""
    filler = " ".join(f"item {number}" for number in range(_LONG_PROMPT // 2))
    prompt, _, seconds = await _timed(model, f"{filler}\n\nReply with the word ready.", 1)
    await _timed(model, _COUNT, 1)  # the server has read it then
    _, few, short = await _timed(model, _COUNT, 1)
    _, many, long = await _timed(model, _COUNT, _WRITTEN)
    written = (many - few) / max(long - short, 1e-3)
    return round(prompt / max(seconds, 1e-3), 1), round(written, 1)


async def _timed(model: RoleModel, prompt: str, most: int) -> tuple[int, int, float]:
    """Return prompt tokens, written tokens and seconds of a call."""
    meter = Meter("model_check")
    started = time.perf_counter()
    await model.reply([HumanMessage(prompt)], meter=meter, temperature=0.0, max_tokens=most)
    seconds = time.perf_counter() - started
    return meter.usage.prompt_tokens, meter.usage.completion_tokens, seconds


def _profile(
    asked: list[JsonDict], rows: list[CheckedQuestion], read: float, written: float
) -> ModelProfile:
    def share(chosen: Iterator[bool]) -> float:
        found = list(chosen)
        return round(sum(found) / len(found), 3) if found else 0.0

    pairs = list(zip(asked, rows, strict=True))
    short = [row.seconds for question, row in pairs if question["form"] == "short"]
    return ModelProfile(
        questions=len(rows),
        right=share(
            row.is_right for one, row in pairs if one["form"] == "short" and one["answers"]
        ),
        honest=share(row.is_right for one, row in pairs if not one["answers"]),
        other_languages=share(
            row.is_right for one, row in pairs if not one["question"].isascii() or _is_foreign(one)
        ),
        json_kept=share(row.is_right for one, row in pairs if one["form"] == "json"),
        follow_ups=share(row.is_right for one, row in pairs if one["form"] == "follow-up"),
        read_per_second=read,
        written_per_second=written,
        seconds=round(sum(short) / len(short), 2),
    )


def _is_foreign(question: JsonDict) -> bool:
    return any(not passage.isascii() for passage in question.get("passages", ()))
