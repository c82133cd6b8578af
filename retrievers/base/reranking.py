"""The passages of a retrieval in the order of a reranker, cut to the budget after that."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hoptrail.core.budget import current_meter
from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import HoptrailError, ModelKeyError, ModelReplyError
from hoptrail.core.render import graph_tokens, passage_tokens
from hoptrail.core.reranking import Reranker
from hoptrail.core.types import Chunk, Evidence, Hit

_DECIMALS = 5
_log = logging.getLogger(__name__)


def rerank(
    evidence: Evidence, question: str, reranker: Reranker, *, most: int, k: int, budget: int
) -> Evidence:
    """Return the evidence with its first passages in the order of a reranker.

    Passages with equal scores stay in the retriever's order. Those that were not scored follow,
    with the lowest score. Where the reranker fails, the retriever's order is kept, and the account
    of the run, if any, gets a note of it.

    Args:
        evidence: What was retrieved.
        question: What for.
        reranker: Scores the passages.
        most: Passages to score.
        k: Passages that are kept whatever the budget.
        budget: Tokens of evidence; those of the graph count first.

    Raises:
        ModelKeyError: If the reranker's key is refused.
    """
    scored, rest = evidence.chunks[:most], evidence.chunks[most:]
    try:
        scores = _scores(reranker, question, [hit.item.embedded_text for hit in scored])
    except ModelKeyError:
        raise
    except Exception as error:  # an order is a gain, never a condition: any failure of one is told
        _note_loss(reranker.name, error)
        hits = evidence.chunks
    else:
        hits = (*_in_order(scored, scores), *_below(rest, scores))
    room = budget - graph_tokens(evidence)
    return replace(evidence, chunks=_fitting(hits, room, at_least=k))


def _scores(reranker: Reranker, question: str, passages: Sequence[str]) -> FloatArray:
    """Return the rounded scores, shape (len(passages),).

    Raises:
        ModelReplyError: If they are not one finite number for each passage.
    """
    if not passages:
        return np.zeros(0, dtype=np.float32)
    try:
        scores = np.asarray(reranker.score(_proper(question), passages), dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ModelReplyError(f"reranker {reranker.name} gave no numbers ({error})") from error
    if scores.shape != (len(passages),):
        raise ModelReplyError(
            f"reranker {reranker.name} gave scores of the shape {scores.shape} "
            f"for {len(passages)} passages"
        )
    if not np.isfinite(scores).all():
        raise ModelReplyError(f"reranker {reranker.name} gave a score that is no number")
    return np.round(scores, _DECIMALS)


def _proper(question: str) -> str:
    """Return the question as Unicode that a tokenizer reads and a server can be sent."""
    return question.encode("utf-8", "replace").decode()


def _in_order(hits: Sequence[Hit[Chunk]], scores: FloatArray) -> list[Hit[Chunk]]:
    order = np.argsort(-scores, kind="stable").tolist()
    return [_scored(hits[place], float(scores[place])) for place in order]


def _below(hits: Sequence[Hit[Chunk]], scores: FloatArray) -> list[Hit[Chunk]]:
    lowest = float(scores.min(initial=np.inf))
    return [_scored(hit, lowest) for hit in hits]


def _scored(hit: Hit[Chunk], score: float) -> Hit[Chunk]:
    return replace(hit, score=round(score, _DECIMALS))


def _fitting(hits: Sequence[Hit[Chunk]], room: int, *, at_least: int) -> tuple[Hit[Chunk], ...]:
    tokens = np.cumsum([passage_tokens(hit.item) for hit in hits])
    fitting = int(np.searchsorted(tokens, room, side="right"))
    return tuple(hits[: max(fitting, at_least)])


def _note_loss(name: str, error: Exception) -> None:
    told = error.message if isinstance(error, HoptrailError) else f"{type(error).__name__}: {error}"
    line = f"the reranker gave no order: passages are in the retriever's own ({told})"
    _log.warning("%s", line, exc_info=not isinstance(error, HoptrailError))
    meter = current_meter()
    if meter is not None:
        meter.degraded = True
        meter.note(" ".join(line.split()))
