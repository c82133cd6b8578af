"""Ask the model for an answer: by one prompting strategy, or a small one by the shortest prompt.

The structured strategies follow Zarrinkia, "The Reasoning Bottleneck in Graph-RAG", 2026,
section 3.3. Small models break forms that large ones keep, and lose right answers with them: on
everyday questions the plainest prompt has beaten every form (benchmarks/NOTES.md). Whatever they
reply is their answer, checked afterwards.
"""

from __future__ import annotations

from typing import Literal

from hoptrail.agents.answering.reply_parser import parse_reply
from hoptrail.agents.answering.short_reply import read_short_reply
from hoptrail.agents.decision import PromptedModel
from hoptrail.core.progress import Follow
from hoptrail.core.render import Rendered
from hoptrail.core.types.draft import Draft

PromptingStrategy = Literal["sparql", "generic", "plain", "closed_book", "growth"]

ANSWER_TEMPERATURE = 0.3
MAX_ANSWER_TOKENS = 1024

MAX_SHORT_TOKENS = 48
"""Longest reply: an answer in a few words, or the beginning of one that runs away."""


async def answer(
    question: str,
    rendered: Rendered,
    strategy: PromptingStrategy,
    model: PromptedModel,
    *,
    facts: str = "",
    temperature: float = ANSWER_TEMPERATURE,
    message_id: str | None = None,
    follow: Follow | None = None,
) -> Draft:
    """Return what one call makes of the question and the rendered evidence.

    The answer is streamed as it is written, as the message `message_id`; where it may be replaced,
    `follow` is told of the reply instead. `facts` are what earlier calls have established, for the
    strategy that goes on from them.

    Raises:
        BudgetExceededError: If no call is left.
        ModelReplyError: If the reply has no text, or nothing that can be read.
        ModelUnavailableError: If the model cannot be reached.
    """
    prompt = model.prompts.load(f"answer_{strategy}")
    inputs = {"facts": facts, "evidence": rendered.text, "question": question}
    messages = prompt.render(**{name: inputs[name] for name in prompt.inputs})
    reply = await model.chat.reply(
        messages,
        meter=model.meter,
        temperature=temperature,
        max_tokens=MAX_ANSWER_TOKENS,
        shows_answer=follow is None,
        message_id=message_id,
        follow=follow,
    )
    return parse_reply(reply, strategy, rendered.labels)


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
    answers = read_short_reply(reply.text, question, rendered.text)
    return Draft(
        "short",
        answers=answers,
        reason=None if answers else "no_evidence",
        score=round(reply.probability or 0.0, 5),
        raw=reply.text,
    )
