"""The full names of persons whom a passage calls by their first name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.capitalised_names import capitalised_spans, proper_names
from hoptrail.agents.language.first_names import full_name, is_first_name
from hoptrail.agents.language.labelled_text import labelled_parts
from hoptrail.agents.language.name_shapes import type_by_shape
from hoptrail.agents.language.table_rows import cell_text
from hoptrail.core.types.draft import Draft

# Labels of cells that hold persons, where they hold names like "Priya Nair".
_PERSON_LABELS = frozenset(
    "name person who contact employee staff member owner tenant teacher player author".split()
)
_FULL_NAME = re.compile(r"[A-Z][a-z'’-]{1,20}(?: [A-Z][\w'’.-]{0,20}){1,2}")


def answer_for_full_name(
    question: str, index: EvidenceIndex, answer: Callable[[str], Draft]
) -> Draft | None:
    """Return what a question asks of a person by the first name, as it is answered for the name.

    None where no question's word is the first name of one person of the evidence and of no other.

    Args:
        question: The standalone question, such as "What is Priya's role?".
        index: The evidence.
        answer: Answers a question that has the full name instead.
    """
    for short in proper_names(question):
        name = _only_person(short, index)
        if name is not None:
            draft = answer(re.sub(rf"\b{re.escape(short)}\b", name, question, count=1))
            if not draft.abstained:
                return draft
    return None


def _only_person(short: str, index: EvidenceIndex) -> str | None:
    """Return the full name of the one person of the evidence with a first name."""
    if not short.isalpha():
        return None
    holding = [chunk.text for chunk in index.chunks.values() if f"{short} " in chunk.text]
    spelled = {text[start:end] for text in holding for start, end in capitalised_spans(text)}
    names = {name for name in spelled if name.startswith(f"{short} ") and _is_full(name)}
    if len(names) != 1:
        return None
    (name,) = names
    is_told = any(is_first_name(short, name, text) for text in holding)
    return name if is_told or name in _persons_in_rows(index) else None


def _persons_in_rows(index: EvidenceIndex) -> Iterator[str]:
    """Yield the names in cells that hold persons."""
    for sentences in index.sentences.values():
        for sentence in sentences:
            for part in labelled_parts(sentence.text):
                cell = cell_text(part, sentence.text)
                if part.label.lower() in _PERSON_LABELS and _is_full(cell):
                    yield cell


def _is_full(name: str) -> bool:
    """Return whether a name may be the whole name of a person."""
    return _FULL_NAME.fullmatch(name) is not None and type_by_shape(name) is None


def with_full_names(draft: Draft, index: EvidenceIndex) -> Draft:
    """Return a draft in which persons have the full name that their passage gives them."""
    full: dict[str, str] = {}
    for hop in draft.hops:
        chunk = index.chunks.get(hop.chunk_id or "")
        for end in (hop.subject, hop.object):
            if chunk is not None and (name := full_name(end, chunk.text)):
                full[end] = name
    if not full:
        return draft
    hops = (
        replace(
            hop,
            subject=full.get(hop.subject, hop.subject),
            object=full.get(hop.object, hop.object),
        )
        for hop in draft.hops
    )
    answers = dict.fromkeys(full.get(answer, answer) for answer in draft.answers)
    return replace(draft, hops=tuple(hops), answers=tuple(answers))
