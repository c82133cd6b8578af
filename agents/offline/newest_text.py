"""Answer from the newest of several texts on the same, with what an older one says beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hoptrail.agents.evidence.editions import Editions, without_texts
from hoptrail.agents.language.reserves import is_about_wording, other_text, unstated
from hoptrail.core.text import name_key
from hoptrail.core.types import Evidence
from hoptrail.core.types.draft import Draft

Answer = Callable[[Evidence], Draft]
"""Answers the question from some evidence."""


def answer_from_newest(question: str, evidence: Evidence, answer: Answer) -> Draft:
    """Return the answer of the newest text that tells, with reserve where an older one differs.

    A question that names a time is answered from the texts of that time.

    Args:
        question: The standalone question.
        evidence: What was retrieved.
        answer: Answers the question from evidence.
    """
    editions = Editions(evidence)
    if not editions:
        return answer(evidence)
    if others := editions.not_asked(question):
        return answer(without_texts(evidence, others))
    texts = {hit.item.doc_id for hit in evidence.chunks}
    replaced = frozenset(filter(editions.is_replaced, texts))
    draft = answer(without_texts(evidence, replaced))
    if draft.abstained:  # two texts may have left open which of them is right
        draft = answer(without_texts(evidence, frozenset(filter(editions.newer, texts))))
    if draft.abstained or draft.reserve and replaced:
        # Only the older text may tell of the thing that is asked about.
        whole = answer(evidence)
        if draft.abstained or _source(whole, evidence) in replaced and not whole.reserve:
            return _from_replaced(whole, replaced, evidence, editions)
    source = _source(draft, evidence)
    if source is None:
        return draft
    if newer := editions.newer(source):
        found = _other_answer(draft, newer, without_texts(evidence, replaced | {source}), answer)
        if found is not None:
            return _with_reserve(found, _told(draft, editions.title(source)))
    return _beside_older(draft, source, evidence, editions, answer)


def _from_replaced(
    draft: Draft, replaced: frozenset[str], evidence: Evidence, editions: Editions
) -> Draft:
    """Return an answer with reserve where a text tells it that a newer one stands for."""
    source = _source(draft, evidence)
    if source not in replaced:
        return draft
    return _with_reserve(draft, unstated(f'it after "{editions.title(source)}"'))


def _beside_older(
    draft: Draft, source: str, evidence: Evidence, editions: Editions, answer: Answer
) -> Draft:
    """Return an answer with reserve where an older text gives another one."""
    older = editions.older(source)
    if not older:
        return draft
    gone = {source, *editions.newer(source)}
    other = _other_answer(draft, older, without_texts(evidence, gone), answer)
    if other is None:
        return draft
    return _with_reserve(draft, _told(other, editions.title(_source(other, evidence) or source)))


def _other_answer(
    draft: Draft, texts: frozenset[str], evidence: Evidence, answer: Answer
) -> Draft | None:
    """Return what some texts answer otherwise, None where they do not."""
    other = answer(evidence)
    if other.abstained or _source(other, evidence) not in texts:
        return None
    is_same = _keys(other.answers) == _keys(draft.answers)
    return None if is_same else other


def _keys(answers: Sequence[str]) -> set[str]:
    return {name_key(answer) for answer in answers}


def _told(draft: Draft, title: str) -> str:
    return other_text("; ".join(draft.answers), f'the older text "{title}"')


def _with_reserve(draft: Draft, reserve: str) -> Draft:
    """Return an answer with a reserve; a doubt of its own stays, unless it is about the wording."""
    is_mere = not draft.reserve or is_about_wording(draft.reserve)
    return replace(draft, reserve=reserve if is_mere else draft.reserve)


def _source(draft: Draft, evidence: Evidence) -> str | None:
    """Return the document that the last step of an answer rests on."""
    if draft.abstained or not draft.hops:
        return None
    last = draft.hops[-1]
    by_chunk = {hit.item.id: hit.item.doc_id for hit in evidence.chunks}
    behind = {hit.item.id: hit.item.chunk_ids for hit in evidence.relations}
    passages = [last.chunk_id, *behind.get(last.relation_id or "", ())]
    return next((by_chunk[one] for one in passages if one in by_chunk), None)
