"""The full names of persons whom a passage calls by their first name."""

from __future__ import annotations

from dataclasses import replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.first_names import full_name
from hoptrail.core.types.draft import Draft


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
