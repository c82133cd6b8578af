"""Ask the model for an answer by one prompting strategy (source 000)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from hoptrail.agents.answering.reply_parser import is_abstention, parse_reply
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.render import Rendered
from hoptrail.core.types.draft import Draft
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.loader import load_prompt

PromptingStrategy = Literal["sparql", "generic", "plain", "closed_book"]

ANSWER_TEMPERATURE = 0.3
MAX_ANSWER_TOKENS = 1024
FINAL_MARKER = "FINAL ANSWER:"


async def answer(
    question: str,
    rendered: Rendered,
    strategy: PromptingStrategy,
    model: RoleModel,
    meter: Meter,
    *,
    temperature: float = ANSWER_TEMPERATURE,
    prompts_dir: Path | None = None,
    message_id: str | None = None,
    shown: bool = True,
) -> Draft:
    """Return what one call makes of the question and the rendered evidence.

    A reply that cannot be read is an abstention. The answer is streamed as it is written, as the
    message `message_id`, unless it is not to be shown yet.

    Raises:
        BudgetExceededError: If no call is left.
        ModelUnavailableError: If the model cannot be reached.
    """
    prompt = load_prompt(f"answer_{strategy}", prompts_dir)
    inputs = {"evidence": rendered.text, "question": question}
    messages = prompt.render(**{name: inputs[name] for name in prompt.inputs})
    try:
        reply = await model.reply(
            messages,
            meter=meter,
            temperature=temperature,
            max_tokens=MAX_ANSWER_TOKENS,
            final_marker=FINAL_MARKER if shown else None,
            message_id=message_id,
            withhold=is_abstention,
        )
    except ModelReplyError:
        return Draft(strategy, reason="no_evidence")
    return parse_reply(reply, strategy, rendered.labels)
