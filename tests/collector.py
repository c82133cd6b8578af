"""A real OTLP collector on loopback, as far as HTTP and Protobuf go: it keeps what it is sent."""

from __future__ import annotations

import gzip
import threading
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from hoptrail.testing.faults import LoopbackHandler, LoopbackServer


@dataclass(frozen=True)
class SentSpan:
    """One span as it arrived; ids are hexadecimal, `parent` is empty for the first of a trace."""

    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, Any]
    service: str
    library: str


class _Handler(LoopbackHandler):
    stub: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.stub.requests.append((self.path, headers))
        if self.stub.is_slow:
            self.stub.released.wait(60)
        if self.stub.status == 200:
            self.stub.take(self.path, body)
        self.send_response(self.stub.status)
        self.send_header("Content-Length", "0")
        self.end_headers()


@dataclass
class Collector(LoopbackServer):
    """Takes traces and metrics at `/v1/traces` and `/v1/metrics`.

    Attributes:
        status: Of its responses.
        is_slow: Whether it answers only when it is told to by `released`.
        requests: Path of each request, and its headers by their names in lower case.
    """

    handler = _Handler

    status: int = 200
    is_slow: bool = False
    port: int = 0
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    spans: list[SentSpan] = field(default_factory=list)
    metrics: dict[str, Any] = field(default_factory=dict)
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def endpoint(self) -> str:
        """The value of OTEL_EXPORTER_OTLP_ENDPOINT that leads here."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def names(self) -> set[str]:
        """Names of the spans."""
        return {one.name for one in self.spans}

    def named(self, name: str) -> SentSpan:
        """Return the one span of a name."""
        (found,) = [one for one in self.spans if one.name == name]
        return found

    def parent_of(self, span: SentSpan) -> SentSpan | None:
        """Return the span that another is part of, None where it was not sent here."""
        return next((one for one in self.spans if one.id == span.parent), None)

    def take(self, path: str, body: bytes) -> None:
        """Keep a request."""
        if path.endswith("/v1/metrics"):
            figures = ExportMetricsServiceRequest.FromString(body)
            for resource in figures.resource_metrics:
                for scope in resource.scope_metrics:
                    self.metrics.update({metric.name: metric for metric in scope.metrics})
            return
        for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = _attributes(sent.resource.attributes)["service.name"]
            self.spans += (
                SentSpan(
                    one.name,
                    one.trace_id.hex(),
                    one.span_id.hex(),
                    one.parent_span_id.hex(),
                    _attributes(one.attributes),
                    service,
                    scope.scope.name,
                )
                for scope in sent.scope_spans
                for one in scope.spans
            )


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}
