"""Sort a question into bridge, comparison, inference or global.

The types and the routing by them follow Zarrinkia, "The Reasoning Bottleneck in Graph-RAG", 2026,
section 3.5. A question about the whole is known by its wording. A classifier that comes with the
package decides between the others by the question's form; a model is asked where it is in doubt.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import cast

import numpy as np

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.planning.question_form import (
    asks_about_whole,
    asks_to_choose,
    mask_names,
    wording_cues,
)
from hoptrail.core.embedding import Embedder, FloatArray, embed_one
from hoptrail.core.types import QuestionType
from hoptrail.models.learned_weights import LinearClassifier

MAX_ROUTE_TOKENS = 5
SURE = 0.8
CUE_WEIGHT = 0.5
CLASSIFIER = "question_router"
WORDING_CLASSIFIER = "question_router_wording"

_TYPES: tuple[QuestionType, ...] = ("bridge", "comparison", "inference", "global")


@dataclass(frozen=True, slots=True)
class _Guess:
    question_type: QuestionType
    is_sure: bool


async def route(
    question: str, model: PromptedModel | None, *, embedder: Embedder | None = None
) -> QuestionType:
    """Return the question's type, by one model call of at most 5 tokens only where it is in doubt.

    Args:
        question: The standalone question.
        model: The router's model; None where the classifier decides alone.
        embedder: The knowledge base's embedder. The classifier knows one embedder's vectors; with
            any other it goes by the wording, and a model, where there is one, is always asked.
    """
    guess = await asyncio.to_thread(_classify, question, embedder)

    async def ask(model: PromptedModel) -> QuestionType | None:
        messages = model.prompts.load("route").render(question=question)
        reply = await model.chat.reply(
            messages, meter=model.meter, temperature=0.0, max_tokens=MAX_ROUTE_TOKENS
        )
        return parse_type(reply)

    return await decide(None if guess.is_sure else model, ask, lambda: guess.question_type)


def parse_type(reply: str) -> QuestionType | None:
    """Return the first type that a reply names, cut-off words included, or None."""
    found: list[tuple[int, QuestionType]] = [
        (match.start(), name)
        for name in _TYPES
        if (match := re.search(name[:5], reply, re.IGNORECASE)) is not None
    ]
    return min(found)[1] if found else None


def router_features(masked: str, vector: FloatArray) -> FloatArray:
    """Return what the classifier sees of a question, shape (dim + 9,).

    Args:
        masked: The question from `mask_names`.
        vector: The masked question's unit vector, shape (dim,).
    """
    return np.concatenate([vector, CUE_WEIGHT * wording_cues(masked)])


def _classify(question: str, embedder: Embedder | None) -> _Guess:
    if asks_about_whole(question):
        return _Guess("global", is_sure=True)
    masked = mask_names(question)
    if asks_to_choose(masked):
        return _Guess("comparison", is_sure=True)
    classifier = LinearClassifier.shipped(CLASSIFIER)
    is_known = embedder is not None and embedder.name == classifier.embedder
    if embedder is not None and is_known:
        features = router_features(masked, embed_one(embedder, masked))
    else:
        classifier = LinearClassifier.shipped(WORDING_CLASSIFIER)
        features = wording_cues(masked)
    probabilities = classifier.probabilities(features[None])[0]
    best = int(probabilities.argmax())
    name = cast(QuestionType, classifier.classes[best])
    return _Guess(name, is_known and bool(probabilities[best] >= SURE))
