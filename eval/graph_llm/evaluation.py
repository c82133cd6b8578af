"""Scores of what a graph language model answers to questions with gold answers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from hoptrail.eval.metrics.registry import ANSWER_METRICS, Observation
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.system import Response

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.training.predictions import Prediction

ANSWER_SET_METRICS = ("hits@1", "hit", "set_f1")

_SCORES = {metric.name: metric.score for metric in ANSWER_METRICS}


class GraphAnswerScore:
    """Scores predictions against the questions that they are about.

    Args:
        questions: All questions that may be asked, with distinct ids.
    """

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = {question.id: question for question in questions}

    def __call__(self, predictions: Sequence[Prediction]) -> dict[str, float]:
        """Return the means of `hits@1`, `hit` and `set_f1`."""
        scores = [self.of(prediction) for prediction in predictions]
        return {name: fmean(score[name] for score in scores) for name in ANSWER_SET_METRICS}

    def of(self, prediction: Prediction) -> dict[str, float]:
        """Return the scores of one prediction; an empty reply scores 0."""
        response = Response(prediction.reply, prediction.answers, not prediction.answers)
        seen = Observation(self._questions[prediction.example.id], response=response)
        return {name: _SCORES[name](seen) or 0.0 for name in ANSWER_SET_METRICS}
