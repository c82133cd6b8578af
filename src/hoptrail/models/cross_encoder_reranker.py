"""A Sentence Transformers cross-encoder as a reranker, on torch."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hoptrail.core.budget import seconds_within
from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import ModelUnavailableError, SettingsError
from hoptrail.core.optional import quiet_loading, require

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_LONGEST = 512  # tokens of a question with its passage; what these models were trained on
_BATCH = 16  # pairs between two looks at the clock


class CrossEncoderReranker:
    """Reads each passage together with the question; safe to share between threads.

    It runs on the GPU where torch sees one. Pairs are cut at 512 tokens, or earlier where the model
    ends.

    Args:
        name: Full name, for messages.
        model: The loaded model, with one output.
        seconds: Longest time for the passages of one question.
    """

    def __init__(self, name: str, model: CrossEncoder, seconds: float) -> None:
        model.max_seq_length = min(model.max_seq_length or _LONGEST, _LONGEST)
        self._name = name
        self._model = model
        self._seconds = seconds
        # Fast tokenizers must not be used by two threads at once.
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's full name."""
        return self._name

    def score(self, question: str, passages: Sequence[str]) -> FloatArray:
        """Return the model's score of each passage, shape (len(passages),), float32.

        Raises:
            ModelUnavailableError: If the time is over first, or the model fails.
        """
        end = time.monotonic() + seconds_within(self._seconds)
        scores = np.zeros(len(passages), dtype=np.float32)
        with self._lock:
            for places in _batches(passages):
                if time.monotonic() >= end:
                    raise ModelUnavailableError(
                        f"reranker {self._name} needs more than {self._seconds:g} s for "
                        f"{len(passages)} passages",
                        hint="lower reranker_candidates, or raise reranker_seconds",
                    )
                pairs = [(question, passages[place]) for place in places]
                scores[places] = self._score_batch(pairs)
        return scores

    def _score_batch(self, pairs: list[tuple[str, str]]) -> FloatArray:
        try:
            scores: FloatArray = self._model.predict(
                pairs, batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True
            )
        except RuntimeError as error:  # torch: no memory left, or a text that the model cannot read
            raise ModelUnavailableError(f"reranker {self._name} fails: {error}") from error
        return scores


def load_cross_encoder(name: str, source: str, seconds: float) -> CrossEncoderReranker:
    """Return the reranker of a folder with a cross-encoder, or of its name on the hub.

    Args:
        name: Full name, for messages.
        source: The folder, or the name on the hub (`owner/model`).
        seconds: Longest time for the passages of one question.

    Raises:
        MissingExtraError: If the library is not installed.
        SettingsError: If no model is found, its files cannot be read, or it has several outputs.
    """
    # Here, because importing torch takes seconds.
    library = require("sentence_transformers", extra="sentence-transformers", purpose=name)
    try:
        with quiet_loading():
            model: CrossEncoder = library.CrossEncoder(source)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"no cross-encoder {source!r} found",
            hint="name a folder with the model, or go online for the hub",
        ) from error
    if model.num_labels != 1:
        raise SettingsError(
            f"{source!r} is no reranker: it gives {model.num_labels} values a passage, not one",
            hint="take a model for ranking, such as cross-encoder/ms-marco-MiniLM-L6-v2",
        )
    return CrossEncoderReranker(name, model, seconds)


def _batches(passages: Sequence[str]) -> Iterator[list[int]]:
    """Yield places of passages of similar length, the longest first: little is padding then."""
    order = sorted(range(len(passages)), key=lambda place: (-len(passages[place]), place))
    for start in range(0, len(order), _BATCH):
        yield order[start : start + _BATCH]
