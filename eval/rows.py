"""One question's row: what was asked, found and answered, and how that scores."""

from __future__ import annotations

from hoptrail.core.errors import HoptrailError
from hoptrail.core.types import JsonDict
from hoptrail.eval.gold import Gold
from hoptrail.eval.metrics import Observation, measure
from hoptrail.eval.questions import Question
from hoptrail.eval.ranking import ranked_documents
from hoptrail.eval.run_folder import MISSING_GOLD
from hoptrail.eval.systems import Outcome


def build_row(
    question: Question,
    gold: Gold,
    outcome: Outcome,
    *,
    context_random: str | None = None,
    crash: Exception | None = None,
) -> JsonDict:
    """Return the row of a question (CONTRACT 2), from which every figure can be computed again.

    Where gold is missing, no document scores count, and the row is a failure.
    """
    documents = () if gold.missing else gold.documents
    observation = Observation(
        question=question,
        gold=documents,
        ranking=ranked_documents(outcome.record["passages"]),
        context=outcome.context,
        context_retrieved=outcome.context_retrieved,
        context_random=context_random,
        response=outcome.response,
    )
    return {
        "id": question.id,
        "question": question.text,
        **outcome.record,
        "type": question.type,
        "hops": question.hops,
        "unanswerable": question.is_unanswerable,
        "gold": {"answers": list(question.accepted), "documents": list(documents)},
        "context": outcome.context,
        "scores": measure(observation),
        "failure": _failure(gold, crash),
    }


def _failure(gold: Gold, crash: Exception | None) -> JsonDict | None:
    if crash is not None:
        code = crash.code if isinstance(crash, HoptrailError) else type(crash).__name__
        return {"code": code, "message": str(crash)}
    if gold.missing:
        names = ", ".join(repr(name) for name in gold.missing)
        return {"code": MISSING_GOLD, "message": f"not in the knowledge base: {names}"}
    return None
