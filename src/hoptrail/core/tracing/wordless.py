"""An exporter that leaves the messages of errors out, of whichever library's spans.

It imports the SDK of OpenTelemetry, and so is imported only where that exports.
"""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Status

_ERROR = "exception"  # name of the event, by the conventions
_KEPT = "exception.type"
_KIND = "error.type"


class WordlessExporter(SpanExporter):
    """Exports spans without the messages and stack traces of errors: they may hold texts.

    Hoptrail's own spans tell the kind of an error in its place; those of the servers that it runs
    in tell messages.

    Args:
        exporter: Sends the spans.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans."""
        return self._exporter.export([_without_messages(span) for span in spans])

    def shutdown(self) -> None:
        """Send no more."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Send what is held back."""
        return self._exporter.force_flush(timeout_millis)


def _without_messages(span: ReadableSpan) -> ReadableSpan:
    tells = any(event.name == _ERROR for event in span.events)
    said = span.status.description
    is_kind = said is not None and said == (span.attributes or {}).get(_KIND)
    if not tells and (said is None or is_kind):
        return span
    return ReadableSpan(
        span.name,
        span.context,
        span.parent,
        span.resource,
        span.attributes,
        [_without_message(event) for event in span.events],
        span.links,
        span.kind,
        status=Status(span.status.status_code, said if is_kind else None),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _without_message(event: Event) -> Event:
    if event.name != _ERROR:
        return event
    kept = {name: value for name, value in (event.attributes or {}).items() if name == _KEPT}
    return Event(event.name, kept, event.timestamp)
