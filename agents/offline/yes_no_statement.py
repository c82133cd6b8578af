"""Answer a yes/no question about one statement without a model."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.question_steps import QuestionStep
from hoptrail.agents.offline.step_solver import StepSolver, claim_of
from hoptrail.core.text import content_words
from hoptrail.core.types.draft import Draft, Pattern

_STATED = 0.5
_CANDIDATES = 40


def check_statement(
    question: str, anchors: Sequence[Mention], graph: SentenceGraph, solver: StepSolver
) -> Draft:
    """Return "yes" where a fact about two of the named things has the question's wording.

    Silence is no denial: a statement that is not found is an abstention, never a "no".
    """
    wording = question
    for mention in sorted(anchors, key=lambda mention: -mention.start):
        wording = f"{wording[: mention.start]} {wording[mention.end :]}"
    step = QuestionStep(f"{{}} {wording}", "", "other")
    others = {mention.key for mention in anchors}
    for anchor in anchors:
        for link in solver.candidates(step, anchor.key, frozenset(), _CANDIDATES):
            if link.mention.key in others and link.wording >= _STATED:
                claim = claim_of(anchor.key, link, graph)
                return Draft("graph_search", ("yes",), hops=(claim,), derived=True)
    subject = graph.name(anchors[0].key) if anchors else "?value"
    return Draft(
        "graph_search",
        reason="unresolved_variable",
        unresolved="?value",
        missing=Pattern(subject, " ".join(content_words(wording)), "?value"),
    )
