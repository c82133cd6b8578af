"""Spans and metrics that OpenTelemetry records in a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import opentelemetry.metrics._internal
import opentelemetry.trace
import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@dataclass(frozen=True)
class Recorded:
    """Spans and metrics in memory."""

    exporter: InMemorySpanExporter
    reader: InMemoryMetricReader

    @classmethod
    def beginning(cls, monkeypatch: pytest.MonkeyPatch) -> Recorded:
        """Record until the end of the test; the API lets a process set a provider only once."""
        found = cls(InMemorySpanExporter(), InMemoryMetricReader())
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(found.exporter))
        monkeypatch.setattr(opentelemetry.trace, "_TRACER_PROVIDER", provider)
        meters = MeterProvider([found.reader])
        monkeypatch.setattr(opentelemetry.metrics._internal, "_METER_PROVIDER", meters)
        return found

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        """The spans that have ended."""
        return self.exporter.get_finished_spans()

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [span.name for span in self.spans]

    def named(self, name: str) -> ReadableSpan:
        """Return the one span of a name."""
        (found,) = [span for span in self.spans if span.name == name]
        return found

    def attributes(self, name: str) -> Mapping[str, Any]:
        """Return the attributes of the one span of a name."""
        return self.named(name).attributes or {}

    def parent(self, name: str) -> str | None:
        """Return the name of the span that the one of a name is part of."""
        parent = self.named(name).parent
        if parent is None:
            return None
        return next(one.name for one in self.spans if one.context.span_id == parent.span_id)

    def points(self, metric: str) -> list[tuple[dict[str, Any], float]]:
        """Return the labels and the sum, or count, of each series of a metric."""
        data = self.reader.get_metrics_data()
        found = [
            one
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for one in scope.metrics
            if one.name == metric
        ]
        return [
            (dict(point.attributes or {}), getattr(point, "value", getattr(point, "sum", 0)))
            for one in found
            for point in one.data.data_points
        ]

    def texts(self) -> str:
        """Return everything that was recorded, as one text."""
        return "\n".join(span.to_json() for span in self.spans)
