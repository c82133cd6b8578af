"""Ask the model for an answer by one prompting strategy.

The structured ones follow Zarrinkia, "The Reasoning Bottleneck in Graph-RAG", 2026,
section 3.3.
"""

from __future__ import annotations

from typing import Literal

from hoptrail.agents.answering.reply_parser import parse_reply
from hoptrail.agents.decision import PromptedModel
from hoptrail.core.render import Rendered
from hoptrail.core.types.draft import Draft

PromptingStrategy = Literal["sparql", "generic", "plain", "closed_book", "growth"]

ANSWER_TEMPERATURE = 0.3
MAX_ANSWER_TOKENS = 1024


async def answer(
    question: str,
    rendered: Rendered,
    strategy: PromptingStrategy,
    model: PromptedModel,
    *,
    facts: str = "",
    temperature: float = ANSWER_TEMPERATURE,
    message_id: str | None = None,
    shown: bool = True,
) -> Draft:
    """Return what one call makes of the question and the rendered evidence.

    The answer is streamed as it is written, as the message `message_id`, unless it is not to be
    shown yet. `facts` are what earlier calls have established, for the strategy that goes on from
    them.

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
        shows_answer=shown,
        message_id=message_id,
    )
    return parse_reply(reply, strategy, rendered.labels)
