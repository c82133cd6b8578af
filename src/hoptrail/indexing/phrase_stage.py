"""Stage two, without a model: phrases and co-occurrence of each chunk."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.progress import Progress
from hoptrail.core.types import Chunk, NodeUsage
from hoptrail.indexing.nlp_extraction import EXTRACTOR, extract_phrases
from hoptrail.stores.knowledge_base import KnowledgeBase

_BATCH = 256


def run_phrase_stage(kb: KnowledgeBase, chunks: Sequence[Chunk], progress: Progress) -> None:
    """Extract the phrases of the chunks, some chunks per transaction."""
    progress.start("nlp", len(chunks))
    for start in range(0, len(chunks), _BATCH):
        batch = chunks[start : start + _BATCH]
        with kb.transaction():
            for chunk in batch:
                extraction = extract_phrases(chunk)
                kb.put_extraction(chunk.doc_id, chunk.id, EXTRACTOR, extraction, NodeUsage())
        progress.advance("nlp", len(batch))
    progress.finish("nlp")
