"""The answers of a graph language model, a row with scores for each question."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hoptrail.core.types import JsonDict
from hoptrail.eval.graph_llm.evaluation import GraphAnswerScore
from hoptrail.eval.json_files import JsonlLog
from hoptrail.models.graph_llm.example import GraphExample
from hoptrail.models.graph_llm.training.predictions import Prediction, predict

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama, ModelInput

_AT_ONCE = 32
_SHUFFLING = 42


def answer_rows(
    model: GraphLlama,
    examples: Sequence[GraphExample],
    score: GraphAnswerScore,
    log: JsonlLog,
    *,
    max_new_tokens: int = 32,
    shuffled: bool = False,
) -> list[JsonDict]:
    """Return id, reply, answers and scores of each question; those in the log are not asked again.

    A row tells its `tokens`, graph tokens and reply included, and its share of the `seconds`: on a
    processor those that this process computed, whatever else the machine does.

    Args:
        model: Answers.
        examples: The questions with their subgraphs.
        score: Knows their gold.
        log: Gets the rows as they come.
        max_new_tokens: Longest reply.
        shuffled: Make the graph tokens from another question's subgraph; the text stays its own.
    """
    rows = {row["id"]: row for row in log.read()}
    inputs = with_other_graphs(model, examples) if shuffled else _prepare(model, examples)
    missing = [place for place, example in enumerate(examples) if example.id not in rows]
    for start in range(0, len(missing), _AT_ONCE):
        places = missing[start : start + _AT_ONCE]
        asked = [inputs[place] for place in places]
        started = _clock(model)
        predictions = predict(
            model, [examples[place] for place in places], asked, max_new_tokens=max_new_tokens
        )
        seconds = (_clock(model) - started) / len(places)
        for item, prediction in zip(asked, predictions, strict=True):
            row = {
                "id": prediction.example.id,
                "reply": prediction.reply,
                "answers": list(prediction.answers),
                "scores": score.of(prediction),
                "tokens": model.prompt_tokens(item) + len(model.base.token_ids(prediction.reply)),
                "seconds": round(seconds, 3),
            }
            log.append(row)
            rows[row["id"]] = row
    return [rows[example.id] for example in examples]


def pointer_rows(
    model: GraphLlama, examples: Sequence[GraphExample], score: GraphAnswerScore
) -> list[JsonDict]:
    """Return id, answers and scores of what the pointer alone answers: its likeliest node."""
    inputs = _prepare(model.eval(), examples)
    names: list[str] = []
    for start in range(0, len(inputs), _AT_ONCE):
        names += model.point(inputs[start : start + _AT_ONCE])
    predictions = [
        Prediction(example, name, (name,) if name else ())
        for example, name in zip(examples, names, strict=True)
    ]
    return [
        {"id": item.example.id, "answers": list(item.answers), "scores": score.of(item)}
        for item in predictions
    ]


def with_other_graphs(model: GraphLlama, examples: Sequence[GraphExample]) -> list[ModelInput]:
    """Return the examples, each with graph tokens of another one's subgraph, its text its own."""
    order = np.random.default_rng(_SHUFFLING).permutation(len(examples))
    following = dict(zip(order.tolist(), np.roll(order, -1).tolist(), strict=True))
    foreign = [
        replace(example, graph=examples[following[place]].graph)
        for place, example in enumerate(examples)
    ]
    return [
        replace(own, graph=other.graph)
        for own, other in zip(_prepare(model, examples), _prepare(model, foreign), strict=True)
    ]


def _clock(model: GraphLlama) -> float:
    return time.process_time() if model.device.type == "cpu" else time.perf_counter()


def _prepare(model: GraphLlama, examples: Sequence[GraphExample]) -> list[ModelInput]:
    return model.prepare_all([(item.question, item.graph, ()) for item in examples])
