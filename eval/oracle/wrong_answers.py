"""Wrong answers for an oracle that errs: names that the prompt shows and that are not gold."""

from __future__ import annotations

from hoptrail.agents.evidence.evidence_index import topic_of
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.eval.metrics.answer_scores import heuristic_match
from hoptrail.eval.oracle.evidence_text import EvidenceText
from hoptrail.eval.questions.question import Question


def wrong_answers(
    question: Question, evidence: EvidenceText, accepted: tuple[str, ...]
) -> tuple[str, ...]:
    """Return names in the evidence that no accepted form matches, in order.

    They are the passages' titles and the ends of triples, else names in the text.
    """
    names = [topic_of(passage.title) for passage in evidence.passages]
    names += [end for triple in evidence.triples for end in (triple.subject, triple.object)]
    gold = (*accepted, *question.accepted)
    for candidates in (names, proper_names(evidence.text)):
        wrong = dict.fromkeys(name for name in candidates if not heuristic_match(name, gold))
        if wrong:
            return tuple(wrong)
    return ()
