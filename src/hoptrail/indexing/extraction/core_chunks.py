"""The core chunks that a chat model reads: the most central ones of the graph of similar chunks.

Source: Huang et al., "KET-RAG: a cost-efficient multi-granular indexing framework for Graph-RAG",
2025, section 4, the skeleton of core chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.algorithms.pagerank import pagerank
from hoptrail.core.embedding import FloatArray, IntArray
from hoptrail.core.text import content_words

NEIGHBOURS = 2
_BLOCK_CELLS = 4_000_000
_DECIMALS = 5


def rank_chunks(vectors: FloatArray, texts: Sequence[str], *, k: int = NEIGHBOURS) -> FloatArray:
    """Return the PageRank of each chunk in the graph that joins it to its neighbours, shape (n,).

    The neighbours are its `k` most similar chunks and the `k` that share most words with it. Ties
    go to the earlier chunk; similarities count to five decimals. Each chunk is compared with every
    other, a block of rows at a time: time grows with the square of the chunks, which is little
    beside a model's reading of most of them, and memory with their number.

    Args:
        vectors: Unit vectors of the chunks, shape (n, dim).
        texts: The chunks' texts, n of them.
        k: Neighbours of each kind.
    """
    size = len(texts)
    k = min(k, size - 1)
    if k < 1:
        return np.full(size, 1.0 / max(1, size), dtype=np.float32)
    near = [_top(scores, k, start) for start, scores in _similarities(vectors)]
    shared = [_top(scores, k, start) for start, scores in _shared_words(texts)]
    indptr, indices = _symmetric(np.hstack([np.vstack(near), np.vstack(shared)]))
    return pagerank(indptr, indices).astype(np.float32)


def select_core_chunks(rank: FloatArray, beta: float) -> IntArray:
    """Return the places of the `beta` share of chunks with the highest rank, in order of place.

    Ranks count to five decimals of the mean rank; ties go to the earlier chunk. At least one chunk
    is selected where there is any.
    """
    size = len(rank)
    if size == 0 or beta <= 0:
        return np.zeros(0, dtype=np.int32)
    wanted = min(size, max(1, int(size * beta + 1e-9)))
    order = np.lexsort((np.arange(size), -np.round(rank.astype(np.float64) * size, _DECIMALS)))
    return np.sort(order[:wanted]).astype(np.int32)


def _blocks(size: int) -> Iterator[slice]:
    step = max(1, _BLOCK_CELLS // max(1, size))
    return (slice(start, min(start + step, size)) for start in range(0, size, step))


def _similarities(vectors: FloatArray) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield blocks of rows of the similarity matrix in units of 1e-5, with their first row."""
    for rows in _blocks(len(vectors)):
        scores = vectors[rows] @ vectors.T
        yield rows.start, np.rint(scores * 10**_DECIMALS).astype(np.int64)


def _shared_words(texts: Sequence[str]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield blocks of rows of the matrix of shared distinct content words."""
    matrix = _word_matrix(texts)
    transposed = matrix.T.tocsr()
    for rows in _blocks(len(texts)):
        yield rows.start, (matrix[rows] @ transposed).toarray().astype(np.int64)


def _word_matrix(texts: Sequence[str]) -> Any:
    from scipy.sparse import csr_matrix

    numbers: dict[str, int] = {}
    indptr, indices = [0], list[int]()
    for text in texts:
        distinct = dict.fromkeys(word for word in content_words(text) if word.isalpha())
        indices.extend(numbers.setdefault(word, len(numbers)) for word in distinct)
        indptr.append(len(indices))
    data = np.ones(len(indices), dtype=np.int32)
    return csr_matrix((data, indices, indptr), shape=(len(texts), max(1, len(numbers))))


def _top(scores: NDArray[np.int64], k: int, first_row: int) -> IntArray:
    """Return the columns of the `k` highest scores of each row, the row's own place left out.

    A key holds score and place in one number, so that equal scores are told apart by place.
    """
    rows, size = scores.shape
    keys = scores * size + np.arange(size - 1, -1, -1)
    keys[np.arange(rows), np.arange(first_row, first_row + rows)] = np.iinfo(np.int64).min
    return np.argpartition(keys, size - k, axis=1)[:, size - k :].astype(np.int32)


def _symmetric(targets: IntArray) -> tuple[IntArray, IntArray]:
    """Return the undirected graph of the links from each row to its targets, in CSR form."""
    size, degree = targets.shape
    sources = np.repeat(np.arange(size, dtype=np.int64), degree)
    ends = targets.ravel().astype(np.int64)
    places = np.unique(np.concatenate([sources * size + ends, ends * size + sources]))
    rows, columns = places // size, (places % size).astype(np.int32)
    return np.searchsorted(rows, np.arange(size + 1)).astype(np.int32), columns
