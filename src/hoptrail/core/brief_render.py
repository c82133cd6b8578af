"""Passages as the text of a short prompt: no tags, no headings, the best one last.

Small models read plain paragraphs better than marked ones, and what stands nearest to the question
best (measured in benchmarks/NOTES.md).
"""

from __future__ import annotations

import re

from hoptrail.core.render import Rendered
from hoptrail.core.text import flat
from hoptrail.core.tokens import TokenCounter, estimate_tokens
from hoptrail.core.types import Chunk, Evidence

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
