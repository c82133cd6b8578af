"""The ways to answer without a model, in the order in which they are tried.

An answerer returns a draft, which may be an abstention, or None to leave the question to the next
one. `ANSWERERS` lists them; nothing else knows of any single one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from itertools import chain
from typing import Protocol

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.answer_types import focus_of
from hoptrail.agents.language.reserves import is_about_wording, silent
from hoptrail.agents.offline.asked_in_text import find_asked, find_asked_alike
from hoptrail.agents.offline.comparison import compare
from hoptrail.agents.offline.definition import define, find_abbreviation
from hoptrail.agents.offline.difference import find_difference
from hoptrail.agents.offline.evidence_view import EvidenceView
from hoptrail.agents.offline.fact_chains import follow_facts
from hoptrail.agents.offline.line_lookup import look_up_labelled, look_up_line
from hoptrail.agents.offline.listed_answer import find_list
from hoptrail.agents.offline.measured_comparison import compare_measures
from hoptrail.agents.offline.message_order import compare_moments
from hoptrail.agents.offline.newer_text import find_newer_word
from hoptrail.agents.offline.refusal import is_refused
from hoptrail.agents.offline.role_holder import find_role_holder
from hoptrail.agents.offline.stated_value import find_stated_value
from hoptrail.agents.offline.told_place import find_place
from hoptrail.agents.offline.told_reason import asks_for_reason, find_reason
from hoptrail.agents.offline.yes_no_statement import confirm, find_statement, left_open
from hoptrail.agents.reading.asked_value import asked_value
from hoptrail.agents.reading.reader import read_answer
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types.draft import Draft


class Answerer(Protocol):
    """Answers a question of one form from some evidence."""

    def __call__(self, question: str, view: EvidenceView, /) -> Draft | None:
        """Return a draft, None where the question is none of its form or the evidence is silent."""


def told(find: Callable[[str, EvidenceIndex], Draft | None]) -> Answerer:
    """Return the answerer that finds what one row, line or sentence tells as it is asked for."""

    @wraps(find)
    def answer(question: str, view: EvidenceView) -> Draft | None:
        return _unless_refused(question, find(question, view.index), view)

    return answer


def _tables(question: str, view: EvidenceView) -> Draft | None:
    """Return what a query over tables gives, where it accounts for the whole question."""
    draft = view.from_tables(question)
    is_whole = draft is not None and (draft.abstained or not is_about_wording(draft.reserve or ""))
    return draft if is_whole else None


def _difference(question: str, view: EvidenceView) -> Draft | None:
    """Return by how much something changed or differs: any other amount would be no difference."""
    return _or_from_tables(told(find_difference)(question, view), question, view)


def _or_from_tables(draft: Draft | None, question: str, view: EvidenceView) -> Draft | None:
    """Return a draft, in place of an abstention what a query over tables gives, if any."""
    is_abstention = draft is not None and draft.abstained
    return view.from_tables(question) or draft if is_abstention else draft


def _definition(question: str, view: EvidenceView) -> Draft | None:
    return _unless_refused(question, define(question, view.graph), view)


def _abbreviation(question: str, view: EvidenceView) -> Draft | None:
    """Return what a short form stands for, unless a sentence says what the thing is."""
    draft = find_abbreviation(question, view.index)
    defined = define(question, view.graph) if draft is not None else None
    return draft if defined is None or defined.abstained else None


def _unless_refused(question: str, draft: Draft | None, view: EvidenceView) -> Draft | None:
    return None if draft is None or is_refused(question, draft, view.index) else draft


def _reason(question: str, view: EvidenceView) -> Draft | None:
    return find_reason(question, view.index) if asks_for_reason(question) else None


def _order_of_messages(question: str, view: EvidenceView) -> Draft | None:
    return compare_moments(question, view.passages)


def _compared_measures(question: str, view: EvidenceView) -> Draft | None:
    return compare_measures(question, view.answer_part)


def _comparison(question: str, view: EvidenceView) -> Draft | None:
    if view.question_type != "comparison":
        return None
    draft = compare(question, view.graph.link(question), view.graph, view.solver)
    return _or_from_tables(draft, question, view)


def _yes_or_no(question: str, view: EvidenceView) -> Draft | None:
    if focus_of(question).answer_type != "yes_no":
        return None
    found = find_statement(question, view.index) or confirm(question, view.answer_part)
    return found or left_open(question, view.graph)


def _facts_and_sentences(question: str, view: EvidenceView) -> Draft:
    """Return the first answer that is plain, else the first one, else an abstention.

    The ends of chains of facts come first, then what sentences word, then what a query over tables
    gives that accounts for most of the question. An answer is none of which no passage states any
    step.
    """
    likely, abstention = follow_facts(question, view.graph.link(question), view.graph, view.solver)
    given: Draft | None = None
    for draft in chain(likely, _readings(question, view)):
        if is_refused(question, draft, view.index):
            continue
        verdict = verify(draft, question, view.question_type, view.evidence)
        if verdict.verified and verdict.reserve is None:
            return draft
        hops = verdict.trail.hops
        if not hops or any(hop.support != "none" for hop in hops):
            given = given or draft
    by_query = view.from_tables(question)
    # The most, a sum or a count over rows is read out of no single sentence.
    is_derived = by_query is not None and not by_query.abstained and by_query.derived
    if by_query is not None and by_query.reserve == silent(asked_value(question).noun):
        is_derived = False  # it counts something else
    return (by_query if is_derived else given) or by_query or abstention


def _readings(question: str, view: EvidenceView) -> Iterator[Draft]:
    """Yield what sentences word as the answer; looked for only where it is asked for."""
    if (draft := read_answer(question, view.index, view.similarity)) is not None:
        yield draft


ANSWERERS: tuple[Answerer, ...] = (
    find_asked,
    _abbreviation,
    _reason,
    _tables,
    _order_of_messages,
    _compared_measures,
    _comparison,
    told(find_newer_word),
    told(find_list),
    told(look_up_line),
    told(find_stated_value),
    told(find_place),
    _definition,
    _difference,
    told(find_role_holder),
    find_asked_alike,
    _yes_or_no,
    _facts_and_sentences,
)
"""Special forms of questions first, then what is told outright, then chains and readings."""

ANSWERERS_IN_ANY_LANGUAGE: tuple[Answerer, ...] = (find_asked, told(look_up_labelled))
"""Those that do not read a question's words as English ones; no guess takes their place."""
