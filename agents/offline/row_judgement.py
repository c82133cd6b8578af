"""Answer a yes/no question by the cell of a row that says yes or no: "In stock: no"."""

from __future__ import annotations

from collections.abc import Iterator

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.everyday_words import everyday_groups
from hoptrail.agents.language.labelled_text import labelled_parts
from hoptrail.agents.language.table_rows import cell_text, identifying_parts, row_name
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import Draft, HopClaim


def judge_by_row(question: str, index: EvidenceIndex) -> Draft | None:
    """Return what a row says of the thing and the property that a yes/no question names.

    None where no row does, or several say different things.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    asked = f" {name_key(question)} "
    groups = everyday_groups(question)
    claims = [
        claim
        for sentences in index.sentences.values()
        for sentence in sentences
        for claim in _judgements(sentence)
        if f" {name_key(claim.subject)} " in asked
        and everyday_groups(f"{claim.subject} {claim.predicate}") == groups
    ]
    if len({claim.object.lower() for claim in claims}) != 1:
        return None
    claim = claims[0]
    return Draft("graph_search", (claim.object.lower(),), hops=(claim,), derived=True)


def _judgements(sentence: Sentence) -> Iterator[HopClaim]:
    """Yield what a row affirms or denies of each name that it has."""
    text, passage = sentence.text, sentence.chunk.text
    parts = labelled_parts(text)
    if len(parts) < 2:
        return
    names = [row_name(part, text) for part in identifying_parts(parts, text, passage)]
    for part in parts:
        if cell_text(part, text).lower() in {"yes", "no"}:
            for name in names:
                yield HopClaim(name, part.label, cell_text(part, text), sentence.chunk.id)
