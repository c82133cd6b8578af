"""Gold that a prompt shows of a question, and the answers that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoptrail.core.errors import InputError
from hoptrail.eval.oracle.evidence_text import EvidenceText
from hoptrail.eval.oracle.graph_walks import Walk, answer_walks
from hoptrail.eval.oracle.presence import Place, find_gold_support
from hoptrail.eval.oracle.supports import (
    GoldSupport,
    is_decomposable,
    step_answers,
    step_support,
    supports_of,
)
from hoptrail.eval.oracle.word_spans import words_of
from hoptrail.eval.questions.question import Question


@dataclass(frozen=True, slots=True)
class AllowedAnswers:
    """Answers that the evidence of one prompt allows, and why.

    Attributes:
        answers: Gold answers that may be given, each in a form that the evidence spells if it
            spells one; empty where support is absent.
        supports: What the question or sub-question needs.
        places: Where each support was found, None where it was not.
        walks: On a bare graph, one walk to each answer.
    """

    answers: tuple[str, ...]
    supports: tuple[GoldSupport, ...] = ()
    places: tuple[Place | None, ...] = ()
    walks: tuple[Walk, ...] = ()


def find_answers(question: Question, step: int | None, evidence: EvidenceText) -> AllowedAnswers:
    """Return what the evidence allows to answer.

    A sub-question needs its own support, the question all of them. Where the gold names no
    passages, triples must lead to the answer.

    Args:
        question: With its gold.
        step: Place of a sub-question in the decomposition that the oracle issued; None for the
            question. Without a usable gold decomposition the only one is the question itself.
        evidence: What the prompt shows.

    Raises:
        InputError: If the decomposition has no such step.
    """
    if step is not None and (is_decomposable(question) or step != 0):
        return _find_step(question, step, evidence)
    if question.is_unanswerable:
        return AllowedAnswers(())
    supports = supports_of(question)
    if not supports:
        walks = answer_walks(question, evidence.triples)
        return AllowedAnswers(tuple(walks), walks=tuple(walks.values()))
    places = tuple(find_gold_support(support, evidence) for support in supports)
    if None in places:
        return AllowedAnswers((), supports, places)
    return AllowedAnswers(
        tuple(spelled_form(forms, evidence) for forms in question.answers), supports, places
    )


def spelled_form(forms: Sequence[str], evidence: EvidenceText) -> str:
    """Return the main form if the evidence spells it, else the longest one that it does spell."""
    by_length = [forms[0], *sorted(forms[1:], key=len, reverse=True)]
    return next((form for form in by_length if evidence.holds(words_of(form))), forms[0])


def _find_step(question: Question, step: int, evidence: EvidenceText) -> AllowedAnswers:
    if not (is_decomposable(question) and 0 <= step < len(question.steps)):
        raise InputError(
            f"question {question.id} has no sub-question {step}",
            hint="the step of a prompt counts the decomposition that the oracle gave",
        )
    support = step_support(question, step)
    place = find_gold_support(support, evidence)
    forms = step_answers(question, step)
    answers = (spelled_form(forms, evidence),) if place is not None and forms else ()
    return AllowedAnswers(answers, (support,), (place,))
