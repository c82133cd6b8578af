"""One question's row: what was asked, found and answered, and how that scores."""

from __future__ import annotations

from hoptrail.core.errors import HoptrailError
from hoptrail.core.types import JsonDict
from hoptrail.eval.files.run_folder import MISSING_GOLD
from hoptrail.eval.metrics.equivalence_judge import EquivalenceJudgement
from hoptrail.eval.metrics.registry import measure
from hoptrail.eval.questions.gold import Gold
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.observation import Observation
from hoptrail.eval.systems.ranking import ranked_documents
from hoptrail.eval.systems.system import SystemOutput


def build_row(
    question: Question,
    gold: Gold,
    outcome: SystemOutput,
    *,
    context_random: str | None = None,
    judged: EquivalenceJudgement | None = None,
    crash: Exception | None = None,
) -> JsonDict:
    """Return the row of a question, from which every figure can be computed again.

    Where gold is missing, no document scores count, and the row is a failure. `context_retrieved`
    is None where nothing was compressed: `context` is the same then.
    """
    documents = () if gold.missing else gold.documents
    observation = Observation(
        question=question,
        gold=documents,
        gold_of_last_hop=() if gold.missing else gold.of_last_hop,
        ranking=ranked_documents(outcome.record.get("passages")),
        context=outcome.context,
        context_retrieved=outcome.context_retrieved,
        context_random=context_random,
        response=outcome.response,
        judged=None if judged is None else judged.equivalent,
        graph=outcome.graph,
        node_similarity=outcome.node_similarity,
    )
    is_compressed = outcome.context_retrieved != outcome.context
    return {
        "id": question.id,
        "question": question.text,
        **outcome.record,
        "type": question.type,
        "hops": question.hops,
        "unanswerable": question.is_unanswerable,
        "gold": {
            "answers": list(question.accepted),
            "answer_sets": [list(forms) for forms in question.answers],
            "documents": list(documents),
            "documents_of_last_hop": [] if gold.missing else list(gold.of_last_hop),
        },
        "context": outcome.context,
        "context_retrieved": outcome.context_retrieved if is_compressed else None,
        "graph": None if outcome.graph is None else outcome.graph.to_json(),
        "node_similarity": outcome.node_similarity,
        "judged": None if judged is None else judged.to_json(),
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
