"""Texts as models embed them: with the words that some want before, in batches of one length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from hoptrail.core.embedding import FloatArray

LONGEST = 256
"""Tokens at which a text is cut."""

# Batches whose activations fit the cache take a fifth less time than 32 passages at once.
_BATCH_TOKENS = 1024
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The words that stand before a question and before a passage when they are embedded."""

    question: str = ""
    passage: str = ""

    @property
    def are_alike(self) -> bool:
        """Whether questions and passages are embedded alike."""
        return self.question == self.passage

    def of_questions(self, texts: Iterable[str]) -> list[str]:
        """Return the questions as they are embedded."""
        return [self.question + text for text in texts]

    def of_passages(self, texts: Iterable[str]) -> list[str]:
        """Return the passages as they are embedded."""
        return [self.passage + text for text in texts]


_SEARCH = Prefixes("Represent this sentence for searching relevant passages: ")
# As the page of each model says; the first that is in a model's name counts.
_BY_MODEL = {
    "nomic-embed-text": Prefixes("search_query: ", "search_document: "),
    "mxbai-embed": _SEARCH,
    "snowflake-arctic-embed2": Prefixes("query: "),
    "snowflake-arctic-embed": _SEARCH,
    "embeddinggemma": Prefixes("task: search result | query: ", "title: none | text: "),
    "multilingual-e5": Prefixes("query: ", "passage: "),
    "qwen3-embedding": Prefixes(
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\n"
        "Query:"
    ),
}


def prefixes_of(model: str) -> Prefixes:
    """Return the prefixes of a model, none where none are known.

    Args:
        model: Its name as Ollama or FastEmbed has it.
    """
    name = model.lower()
    return next((found for part, found in _BY_MODEL.items() if part in name), Prefixes())


def embed_in_batches(
    texts: Sequence[str], dim: int, embed: Callable[[list[str]], FloatArray], workers: int
) -> FloatArray:
    """Return the vectors of texts, shape (len(texts), dim), float32, from batches side by side.

    Args:
        texts: In any order.
        dim: Vector length.
        embed: Returns the vectors of one batch; called by several threads at once.
        workers: The most batches at once.
    """
    vectors = np.empty((len(texts), dim), dtype=np.float32)
    batches = list(batches_by_length([len(text) for text in texts]))
    gathered = [[texts[row] for row in rows] for rows in batches]
    if min(workers, len(batches)) <= 1:
        embedded = [embed(batch) for batch in gathered]
    else:
        with ThreadPoolExecutor(workers, thread_name_prefix="embed") as pool:
            embedded = list(pool.map(embed, gathered))
    for rows, unit_vectors in zip(batches, embedded, strict=True):
        vectors[rows] = unit_vectors
    return vectors


def batches_by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the positions of texts in batches of similar length, longest first.

    Args:
        lengths: Lengths of the texts in characters.
    """
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    start = 0
    while start < len(order):
        longest = min(LONGEST, 1 + lengths[order[start]] // _CHARACTERS_PER_TOKEN)
        end = start + max(1, _BATCH_TOKENS // longest)
        yield order[start:end]
        start = end
