from __future__ import annotations

from hoptrail.core.tracing import metrics
from tests.recorded import Recorded


def test_counter_adds_up_by_labels(recorded: Recorded) -> None:
    metrics.add("hoptrail.questions", 1, {"hoptrail.outcome": "answered", "error.type": None})
    metrics.add("hoptrail.questions", 2, {"hoptrail.outcome": "answered"})
    assert recorded.points("hoptrail.questions") == [({"hoptrail.outcome": "answered"}, 3)]


def test_histogram_has_the_buckets_of_the_conventions(recorded: Recorded) -> None:
    metrics.record("gen_ai.client.token.usage", 70, {"gen_ai.token.type": "input"})
    data = recorded.reader.get_metrics_data()
    assert data is not None
    (point,) = data.resource_metrics[0].scope_metrics[0].metrics[0].data.data_points
    assert point.explicit_bounds[:4] == (1, 4, 16, 64)  # type: ignore[union-attr]


def test_nothing_is_collected_without_a_provider() -> None:
    assert not metrics.is_collected()
    metrics.add("hoptrail.questions", 1, {})
