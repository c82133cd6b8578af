"""The table of metrics: each one value per question (docs/evaluation.md, "Figures")."""

from __future__ import annotations

from hoptrail.eval.metrics.answer_metrics import ANSWER_METRICS
from hoptrail.eval.metrics.metric import Metric
from hoptrail.eval.metrics.retrieval_metrics import COVERAGE_METRICS, GRAPH_METRICS, RANKING_METRICS
from hoptrail.eval.systems.observation import Observation

METRICS: tuple[Metric, ...] = (
    *RANKING_METRICS,
    *COVERAGE_METRICS,
    *ANSWER_METRICS,
    *GRAPH_METRICS,
)


def measure(observation: Observation) -> dict[str, float | None]:
    """Return every metric's score of one question, by metric name."""
    return {metric.name: metric.score(observation) for metric in METRICS}
