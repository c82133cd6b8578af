"""Words and the chunks they stand in: what BM25 and KET-RAG's keyword channel read."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.embedding import IdArray, IntArray
from hoptrail.stores.snapshot.graph_index import Csr


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The bipartite graph of content words and chunks; rows as in `GraphIndex`.

    `words` is sorted; `word_chunks` has term frequencies as data; `chunk_length` counts content
    words per chunk (title and text). Word vectors (mean over the sentences that contain the word,
    unit length) are `KnowledgeBase.vectors("word")`, their ids the words.
    """

    words: IdArray
    word_chunks: Csr
    chunk_length: IntArray
