"""Answer from the newest of several texts on the same, with what an older one says beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

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

    @cache
    def answer_without(texts: frozenset[str]) -> Draft:
        return answer(without_texts(evidence, texts))

    if others := editions.not_asked(question):
        return answer_without(others)
    texts = {hit.item.doc_id for hit in evidence.chunks}
    replaced = frozenset(filter(editions.is_replaced, texts))
    draft = answer_without(replaced)
    if draft.abstained:  # two texts may have left open which of them is right
        draft = answer_without(frozenset(filter(editions.newer, texts)))
    if draft.abstained or draft.reserve and replaced:
        # Only the older text may tell of the thing that is asked about.
        whole = answer_without(frozenset())
        if draft.abstained or _source(whole, evidence) in replaced and not whole.reserve:
            return _from_replaced(whole, replaced, evidence, editions)
    source = _source(draft, evidence)
    if source is None:
        return draft
    if newer := editions.newer(source):
        other = answer_without(replaced | {source})
        if _is_another(other, draft, newer, evidence):
            return _with_reserve(other, _told(draft, editions.title(source)))
    older = editions.older(source)
    if not older:
        return draft
    other = answer_without(frozenset({source, *editions.newer(source)}))
    if not _is_another(other, draft, older, evidence):
        return draft
    return _with_reserve(draft, _told(other, editions.title(_source(other, evidence) or source)))


def _from_replaced(
    draft: Draft, replaced: frozenset[str], evidence: Evidence, editions: Editions
) -> Draft:
    """Return an answer with reserve where a text tells it that a newer one stands for."""
    source = _source(draft, evidence)
    if source not in replaced:
        return draft
    return _with_reserve(draft, unstated(f'it after "{editions.title(source)}"'))


def _is_another(other: Draft, draft: Draft, texts: frozenset[str], evidence: Evidence) -> bool:
    """Return whether a draft from some of the texts answers otherwise."""
    if other.abstained or _source(other, evidence) not in texts:
        return False
    return _keys(other.answers) != _keys(draft.answers)


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
