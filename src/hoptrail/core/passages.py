"""Passages in the order in which they are best read, and as the text of a short prompt.

That text has no tags and no headings, and the best passage last: small models read plain paragraphs
better than marked ones, and what stands nearest to the question best (measured in
benchmarks/NOTES.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hoptrail.core.render import Rendered
from hoptrail.core.text import flat
from hoptrail.core.tokens import TokenCounter, estimate_tokens
from hoptrail.core.types import Chunk, Evidence, Hit

# What would pass for a part of the prompt: another question, an answer, another passage.
_FORM = re.compile(r"^(?=[ \t]*(?:Question:|Answer:|\[\d+\]))", re.IGNORECASE | re.MULTILINE)


def render_briefly(
    evidence: Evidence, budget: int, count: TokenCounter = estimate_tokens
) -> Rendered:
    """Lay out as many of the passages as the budget allows, whole ones only, the best one last.

    Args:
        evidence: The passages, best first.
        budget: Most tokens that the text may have; the first passage is shown anyhow.
        count: Token counter of the model that will read it.
    """
    hits = evidence.chunks
    while True:
        labels = {str(number): hit.item.id for number, hit in enumerate(reversed(hits), 1)}
        blocks = (
            _block(hit.item, label) for label, hit in zip(labels, reversed(hits), strict=True)
        )
        text = "\n\n".join(blocks)
        tokens = count(text)
        if tokens <= budget or len(hits) <= 1:
            return Rendered(text, tokens, Evidence(chunks=hits), labels)
        hits = hits[:-1]


def _block(chunk: Chunk, label: str) -> str:
    return f"[{label}] {flat(chunk.title_path)}\n{_FORM.sub('- ', chunk.text)}"


def in_reading_order(hits: Sequence[Hit[Chunk]]) -> tuple[Hit[Chunk], ...]:
    """Return the passages with those of one document together, at the place of its best one.

    Args:
        hits: Best first.
    """
    of_document: dict[str, list[Hit[Chunk]]] = {}
    for hit in hits:
        of_document.setdefault(hit.item.doc_id, []).append(hit)
    return tuple(
        hit for some in of_document.values() for hit in sorted(some, key=lambda one: one.item.start)
    )
