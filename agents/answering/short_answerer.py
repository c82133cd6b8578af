"""Ask a small model: one short prompt, whatever it replies is its answer, checked afterwards.

Small models break forms that large ones keep, and lose right answers with them: on everyday
questions the plainest prompt has beaten every form (benchmarks/NOTES.md).
"""

from __future__ import annotations

from hoptrail.agents.answering.short_reply import read_short_reply
from hoptrail.agents.decision import PromptedModel
from hoptrail.core.progress import Follow
from hoptrail.core.render import Rendered
from hoptrail.core.types.draft import Draft

MAX_SHORT_TOKENS = 48
"""Longest reply: an answer in a few words, or the beginning of one that runs away."""


async def answer_short(
    question: str, rendered: Rendered, model: PromptedModel, follow: Follow | None = None
) -> Draft:
    """Return what one call makes of the question and the rendered passages.

    The draft's `score` is how sure the model was of its reply, 0 to 1; 0 where its server does not
    tell. What it drafts is not streamed as an answer: it is none before it has been checked.

    Args:
        question: As it was asked.
        rendered: The passages.
        model: Answers.
        follow: Told how far the model has come.

    Raises:
        BudgetExceededError: If no call is left.
        ModelReplyError: If the reply has no text.
        ModelUnavailableError: If the model cannot be reached.
    """
    prompt = model.prompts.load("answer_short")
    messages = prompt.render(evidence=rendered.text, question=question)
    reply = await model.chat.scored_reply(
        messages, meter=model.meter, max_tokens=MAX_SHORT_TOKENS, follow=follow
    )
    answers = read_short_reply(reply.text)
    return Draft(
        "short",
        answers=answers,
        reason=None if answers else "no_evidence",
        score=round(reply.probability or 0.0, 5),
        raw=reply.text,
    )
