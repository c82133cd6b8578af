"""The sentences of passages that bear on a question: what a slow model reads instead of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.core.text import sentence_spans
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Chunk, Evidence, Hit

Spans = list[tuple[int, int]]


def excerpt(question: str, evidence: Evidence, budget: int, similarity: TextSimilarity) -> Evidence:
    """Return the passages cut to the sentences that are most like the question.

    A passage keeps its first sentence, which says what it is about, and its order; one that keeps
    no more than that stays, for its title may be the answer. Passages that are short enough in all
    stay whole, and so do they where nothing can be compared.

    Args:
        question: The standalone question.
        evidence: The passages to be read, best first.
        budget: Most tokens to keep, by estimate, beside the first sentences.
        similarity: Compares texts by meaning.
    """
    chunks = [hit.item for hit in evidence.chunks]
    if sum(map(_tokens, chunks)) <= budget:
        return evidence
    spans = [sentence_spans(chunk.text) for chunk in chunks]
    kept = _most_alike(question, chunks, spans, budget, similarity)
    hits = tuple(
        _cut(hit, [span for place, span in enumerate(spans[at]) if (at, place) in kept])
        for at, hit in enumerate(evidence.chunks)
    )
    return replace(evidence, chunks=hits)


def _most_alike(
    question: str,
    chunks: Sequence[Chunk],
    spans: Sequence[Spans],
    budget: int,
    similarity: TextSimilarity,
) -> set[tuple[int, int]]:
    """Return which sentences to keep, each by the place of its passage and its own."""
    places = [(at, place) for at, some in enumerate(spans) for place in range(len(some))]
    texts = [chunks[at].text[slice(*spans[at][place])] for at, place in places]
    titled = [f"{chunks[at].title}: {text}" for (at, _), text in zip(places, texts, strict=True)]
    alike = similarity.to(question, titled)
    order = sorted(range(len(places)), key=lambda one: -alike[one])
    kept = {(at, 0) for at, some in enumerate(spans) if some}
    for one in order:
        tokens = estimate_tokens(texts[one])
        if places[one] in kept or tokens > budget:
            continue
        budget -= tokens
        kept.add(places[one])
    return kept


def _cut(hit: Hit[Chunk], spans: Spans) -> Hit[Chunk]:
    """Return a passage with these sentences alone; what was left out is a line of its own."""
    text, end = "", 0
    for start, stop in spans:
        between = hit.item.text[end:start]
        text += between if not between.strip() else " ... "
        text += hit.item.text[start:stop]
        end = stop
    return replace(hit, item=replace(hit.item, text=text, tokens=0))


def _tokens(chunk: Chunk) -> int:
    return chunk.tokens or estimate_tokens(chunk.text)
