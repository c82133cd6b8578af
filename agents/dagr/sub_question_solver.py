"""Answer one sub-question from its own evidence (DAGR, section 4)."""

from __future__ import annotations

from hoptrail.agents.answering.reply_parser import parse_answers
from hoptrail.agents.decision import PromptedModel
from hoptrail.core.render import Rendered

MAX_SOLUTION_TOKENS = 64


async def solve(
    question: str, sub_question: str, step: int, rendered: Rendered, model: PromptedModel
) -> str:
    """Return the sub-question's answers joined by "; ", empty where the evidence lacks them.

    Args:
        question: The question that the step serves.
        sub_question: The step, earlier answers filled in.
        step: Its place among the sub-questions, from 0.
        rendered: The evidence for it.
        model: Model of the role `solver`.

    Raises:
        BudgetExceededError: If no call is left.
        ModelUnavailableError: If the model cannot be reached.
        ModelReplyError: If the reply has no text.
    """
    messages = model.prompts.load("solve").render(
        step, evidence=rendered.text, question=question, sub_question=sub_question
    )
    reply = await model.chat.reply(
        messages, meter=model.meter, temperature=0.0, max_tokens=MAX_SOLUTION_TOKENS
    )
    return "; ".join(parse_answers(reply))
