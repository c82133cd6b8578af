"""Whether an answer says the same as a gold answer, where words alone do not tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelError
from hoptrail.core.types import NodeUsage, Record
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.evaluation import EquivalenceVerdict
from hoptrail.prompts.loader import SHIPPED, Prompts

_MAX_VERDICT_TOKENS = 300


@dataclass(frozen=True, slots=True)
class EquivalenceJudgement(Record):
    """A judge's opinion of one answer.

    `equivalent` is None where no verdict could be had; `reason` then says why. `usage` is what
    this very judgement cost: nothing where the judge remembered it.
    """

    equivalent: bool | None
    reason: str = ""
    usage: NodeUsage = NodeUsage()


class EquivalenceJudge:
    """Compares answers with the answer key; a verdict is remembered by question and answer.

    Args:
        model: The model of role `judge_eval`.
        prompts: Shipped prompts and their overrides.
    """

    def __init__(self, model: RoleModel, *, prompts: Prompts = SHIPPED) -> None:
        self._model = model
        self._prompt = prompts.load("judge_equivalence")
        self._known: dict[tuple[str, str], EquivalenceJudgement] = {}

    async def is_equivalent(
        self, question: str, accepted: Sequence[str], answer: str
    ) -> EquivalenceJudgement:
        """Return whether the answer is equivalent to one of the accepted ones.

        A model that is down or cannot be read leaves the answer unjudged; that is not remembered.
        """
        key = question, answer
        if key not in self._known:
            judgement = await self._judge(question, accepted, answer)
            if judgement.equivalent is None:
                return judgement
            self._known[key] = EquivalenceJudgement(judgement.equivalent, judgement.reason)
            return judgement
        return self._known[key]

    async def _judge(
        self, question: str, accepted: Sequence[str], answer: str
    ) -> EquivalenceJudgement:
        messages = self._prompt.render(
            question=question, accepted="\n".join(accepted), answer=answer
        )
        meter = Meter("judge_eval")
        try:
            verdict = await self._model.structured(
                messages, EquivalenceVerdict, meter=meter, max_tokens=_MAX_VERDICT_TOKENS
            )
        except ModelError as error:
            return EquivalenceJudgement(None, error.message, meter.usage)
        return EquivalenceJudgement(verdict.equivalent, verdict.reason, meter.usage)
