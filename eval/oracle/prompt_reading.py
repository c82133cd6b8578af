"""A prompt as the oracle reads it: its metadata, and the evidence without the question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage

from hoptrail.core.errors import InputError
from hoptrail.eval.oracle.evidence_text import EvidenceText

_EVIDENCE = re.compile(r"<evidence>\n(.*?)\n?</evidence>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PromptReading:
    """A prompt as the oracle reads it.

    `name` is the prompt's name, `step` the place of the sub-question that it is about, if any.
    """

    role: str
    name: str
    question: str
    step: int | None
    text: str
    evidence: EvidenceText


def read_prompt(messages: Sequence[BaseMessage]) -> PromptReading:
    """Read the metadata and the evidence of a prompt.

    The evidence stands between evidence tags; where a prompt of the user's own has none, all of its
    text counts but the question.

    Raises:
        InputError: If no message carries the metadata of Hoptrail's prompts.
    """
    metadata = next(
        (m.additional_kwargs["hoptrail"] for m in messages if "hoptrail" in m.additional_kwargs),
        None,
    )
    if metadata is None:
        raise InputError(
            "the oracle reader answers Hoptrail's own prompts, and this is none",
            hint="use it as --reader of an evaluation",
        )
    text = "\n\n".join(str(message.text) for message in messages)
    question = str(metadata.get("question", ""))
    tagged = _EVIDENCE.findall(text)
    evidence = "\n".join(tagged) if tagged else _without(text, question)
    return PromptReading(
        str(metadata.get("role", "")),
        str(metadata.get("prompt", "")),
        question,
        metadata.get("step"),
        text,
        EvidenceText(evidence),
    )


def _without(text: str, question: str) -> str:
    return text.replace(question, " ") if question else text
