"""An answer in the making: the step under way and the words of the model, on the status line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.api.steps import DRAFT_STEP, NEXT_STEP, reading_step, waiting_step
from hoptrail.cli.output import printable
from hoptrail.cli.status import STATUS

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.core.types import Answer


def answer_with_status(hoptrail: Hoptrail, question: str, **arguments: Any) -> Answer:
    """Ask; while a terminal watches, show each step and the answer's words as they come.

    Raises:
        HoptrailError: As `Hoptrail.ask`.
    """
    if not STATUS.is_allowed:
        return hoptrail.ask(question, **arguments)
    draft, is_whole = "", False
    answer: Answer | None = None
    for event in hoptrail.stream(question, **arguments):
        if event.type == "node":
            # A second try of the answer is shown in place of the first.
            is_whole = True
            STATUS.say(NEXT_STEP.get(event.node, event.node.replace("_", " ")))
        elif event.type == "waiting":
            STATUS.say(waiting_step(event))
        elif event.type == "reading":
            STATUS.say(reading_step(event))
        elif event.type == "draft":
            draft, is_whole = event.text, True
            STATUS.say(DRAFT_STEP)
            STATUS.show_draft(printable(draft))
        elif event.type == "token":
            draft, is_whole = ("" if is_whole else draft) + event.text, False
            STATUS.show_draft(printable(draft))
        elif event.type == "answer":
            answer = event.answer
    STATUS.hide()
    if answer is None:
        raise RuntimeError("the stream ended without an answer")
    return answer
