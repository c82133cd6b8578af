"""A question's kind of reasoning, from what its data set says about it."""

from __future__ import annotations

from hoptrail.core.types import QuestionType
from hoptrail.eval.questions.question import Question

# As the sets name them: HotpotQA, 2WikiMultiHopQA, MultiHop-RAG and ComplexWebQuestions.
_COMPARISONS = frozenset(
    {"comparison", "bridge_comparison", "comparison_query", "temporal_query", "comparative"}
)
# In 2WikiMultiHopQA "inference" asks for the grandfather by way of the father: two facts in a row.
_CHAINS = frozenset({"bridge", "compositional", "inference", "composition"})

ROUTES: tuple[QuestionType, ...] = ("bridge", "comparison", "inference")


def route_of(question: Question) -> QuestionType:
    """Return the question's type: as its data set names it, else a chain where it has steps.

    A chain has a gold decomposition or relation path of two steps or more, or says that it has so
    many hops.
    """
    kind = (question.type or "").casefold()
    if kind in _COMPARISONS:
        return "comparison"
    longest = max((len(path) for path in question.relation_paths), default=0)
    if kind in _CHAINS or max(len(question.steps), longest, question.hops or 0) > 1:
        return "bridge"
    return "inference"
