"""Answer one sub-question from its own evidence (source 001, iterative retrieval)."""

from __future__ import annotations

from pathlib import Path

from hoptrail.agents.answering.reply_parser import parse_answers
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.render import Rendered
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.loader import load_prompt

MAX_SOLUTION_TOKENS = 64


async def solve(
    question: str,
    sub_question: str,
    step: int,
    rendered: Rendered,
    model: RoleModel,
    meter: Meter,
    *,
    prompts_dir: Path | None = None,
) -> str:
    """Return the sub-question's answers joined by "; ", empty where the evidence lacks them.

    Args:
        question: The question that the step serves.
        sub_question: The step, earlier answers filled in.
        step: Its place among the sub-questions, from 0.
        rendered: What was retrieved for it.
        model: Model of the role `solver`.
        meter: Account of the call.
        prompts_dir: Folder of prompts that override the shipped ones.

    Raises:
        BudgetExceededError: If no call is left.
        ModelUnavailableError: If the model cannot be reached.
    """
    messages = load_prompt("solve", prompts_dir).render(
        step, evidence=rendered.text, question=question, sub_question=sub_question
    )
    try:
        reply = await model.reply(
            messages, meter=meter, temperature=0.0, max_tokens=MAX_SOLUTION_TOKENS
        )
    except ModelReplyError:
        return ""
    return "; ".join(parse_answers(reply))
