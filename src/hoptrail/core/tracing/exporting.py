"""Sends spans and metrics to where the variables `OTEL_*` say: for programs, not for a library."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

from hoptrail.core.errors import MissingExtraError, SettingsError
from hoptrail.core.optional import require
from hoptrail.core.tracing.spans import LIBRARY, version

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

    from hoptrail.core.settings import Tracing

Signal = Literal["traces", "metrics"]
_SIGNALS: tuple[Signal, ...] = ("traces", "metrics")
Tell = Callable[[str], None]

FLUSH_SECONDS = 2.0
_CHECK_SECONDS = 3.0
_DEFAULT_ENDPOINT = "http://localhost:4318"
_LONGEST_REASON = 160
# What libraries put around the reason of a failed connection.
_REASON = re.compile(
    r"Connection refused|timed out|Name or service not known|certificate verify failed"
    r"|code: \d{3}, reason: [^,\n]{1,80}"
)


@contextmanager
def exported(settings: Tracing, tell: Tell) -> Iterator[None]:
    """Export what is traced within, if the settings and variables ask for it.

    Nothing waits for a collector, and nothing fails with one: spans are sent by a thread of their
    own, those that find no room are dropped, and at the end `FLUSH_SECONDS` are left to send the
    last ones. That they do not arrive is told once.

    Args:
        settings: Whether to export.
        tell: Shows a line to whoever runs the program.

    Raises:
        MissingExtraError: If the settings ask for it, and the extra `otel` is not installed.
        SettingsError: If they do, and an exporter that a variable names is not.
    """
    if not is_wanted(settings):
        yield
        return
    try:
        require("opentelemetry.sdk", extra="otel", purpose="tracing")
        exporters: dict[Signal, list[Any]] = {}
        for signal in _SIGNALS:
            exporters[signal] = _all_loaded(signal, settings)
    except (MissingExtraError, SettingsError) as error:
        if settings.enabled:
            raise
        tell(f"warning: {error.message}, so nothing is traced ({error.hint})")
        yield
        return
    listener = _FirstWarning(tell)
    with listener.listening():
        providers = _set_providers(exporters, settings)
        try:
            yield
        finally:
            if not _shut_down(providers):
                listener.say(f"no answer within {FLUSH_SECONDS:g} s")


def is_wanted(settings: Tracing) -> bool:
    """Return whether the settings, or else the variables, ask to export."""
    if settings.enabled is False or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    return bool(settings.enabled) or any(map(_is_named, _SIGNALS))


def endpoint_of(signal: Signal) -> str:
    """Return the address that a signal is sent to by OTLP over HTTP."""
    own = os.environ.get(f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT")
    if own:
        return own
    base = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or _DEFAULT_ENDPOINT
    return f"{base.rstrip('/')}/v1/{signal}"


def check_collector(settings: Tracing) -> dict[str, Any] | None:
    """Send an empty list of spans; return the collector's `name`, whether it is `ok`, and `error`.

    None where nothing is exported.
    """
    if not is_wanted(settings):
        return None
    row: dict[str, Any] = {"name": endpoint_of("traces"), "ok": False, "error": None}
    heard: list[str] = []
    listener = _FirstWarning(heard.append)
    started = time.perf_counter()
    try:
        require("opentelemetry.sdk", extra="otel", purpose="tracing")
        from opentelemetry.sdk.trace.export import SpanExportResult

        with listener.listening():
            exporters = _all_loaded("traces", settings)
            row["name"] = ", ".join(_place_of(one) for one in exporters) or "none"
            made = [_opened(one, timeout=_CHECK_SECONDS) for one in exporters]
            results = [one.export(()) for one in made]
            for one in made:
                one.shutdown()
        row["ok"] = all(result is SpanExportResult.SUCCESS for result in results)
        row["error"] = None if row["ok"] else listener.reason or "no answer"
    except (MissingExtraError, SettingsError) as error:
        row["error"] = str(error)
    return {**row, "seconds": round(time.perf_counter() - started, 3)}


class _FirstWarning(logging.Handler):
    """Tells the first thing that OpenTelemetry warns of, in one line, and keeps quiet then."""

    def __init__(self, tell: Tell) -> None:
        super().__init__(logging.WARNING)
        self.reason = ""
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Tell the reason that a record gives, unless one was told before."""
        text = " ".join(record.getMessage().split())
        kind: Signal = "metrics" if "metrics" in text else "traces"
        found = _REASON.search(text)
        self.say(found.group() if found else text[:_LONGEST_REASON], kind)

    def say(self, reason: str, kind: Signal = "traces") -> None:
        """Tell that something does not arrive, unless that was told before."""
        if self.reason:
            return
        self.reason = reason
        is_refused = kind == "metrics" and reason.startswith("code: 4")
        hint = "; set OTEL_METRICS_EXPORTER=none where only traces are taken"
        self._tell(
            f"warning: {kind} do not arrive at {endpoint_of(kind)}: {reason}; all else goes on"
            f"{hint if is_refused else ''}"
        )

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take the warnings of OpenTelemetry, which no other log shows then."""
        log = logging.getLogger("opentelemetry")
        before = log.propagate
        log.addHandler(self)
        log.propagate = False
        try:
            yield
        finally:
            log.propagate = before
            log.removeHandler(self)


def _is_named(signal: Signal) -> bool:
    """Return whether a variable names an exporter of a signal, or an address for it."""
    exporter = os.environ.get(f"OTEL_{signal.upper()}_EXPORTER")
    if exporter:
        return exporter.strip().lower() != "none"
    names = (f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    return any(os.environ.get(name) for name in names)


def _exporters(signal: Signal, settings: Tracing) -> list[str]:
    """Return the names of a signal's exporters; where only traces are asked for, none of metrics.

    Where the settings alone ask, both go to the collector of this machine.
    """
    is_asked = _is_named(signal)
    by_settings = bool(settings.enabled) and not (_is_named("traces") or _is_named("metrics"))
    if not is_asked and not (by_settings and not os.environ.get(f"OTEL_{signal.upper()}_EXPORTER")):
        return []
    named = os.environ.get(f"OTEL_{signal.upper()}_EXPORTER") or "otlp"
    return [name.strip() for name in named.split(",") if name.strip()]


def _all_loaded(signal: Signal, settings: Tracing) -> list[Any]:
    return [_loaded(signal, name) for name in _exporters(signal, settings)]


def _loaded(signal: Signal, name: str) -> Any:
    """Return the class of an exporter, by the name that the variables give it."""
    from importlib.metadata import entry_points  # it takes longer to import than most of this

    if name == "otlp":
        protocol = (
            os.environ.get(f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL")
            or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
            or "http/protobuf"
        )
        name = f"otlp_proto_{protocol.partition('/')[0]}"
    for found in entry_points(group=f"opentelemetry_{signal}_exporter", name=name):
        return found.load()
    package = f"opentelemetry-exporter-{name.replace('_', '-')}"
    raise SettingsError(
        f"OTEL_{signal.upper()}_EXPORTER: {name} is not installed", hint=f"pip install {package}"
    )


def _opened(exporter: Any, timeout: float | None = None) -> Any:
    """Return an exporter of a class, with a time limit where it takes one.

    The one that prints does so to stderr: results stand on stdout, and the protocol of `mcp` too.
    """
    taken = signature(exporter).parameters
    if "out" in taken:
        return exporter(out=sys.stderr)
    return exporter(timeout=timeout) if timeout is not None and "timeout" in taken else exporter()


def _place_of(exporter: Any) -> str:
    return endpoint_of("traces") if "otlp" in exporter.__module__ else exporter.__name__


def _set_providers(exporters: Mapping[Signal, list[Any]], settings: Tracing) -> list[Any]:
    """Set the providers of both signals, unless something else has; return those that were set."""
    from opentelemetry import metrics, trace

    resource = _resource()
    made: list[Any] = []
    spans, figures = exporters["traces"], exporters["metrics"]
    if spans and isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        made.append(_tracer_provider(resource, spans, settings))
        trace.set_tracer_provider(made[-1])
    if figures and type(metrics.get_meter_provider()).__name__ == "_ProxyMeterProvider":
        made.append(_meter_provider(resource, figures))
        metrics.set_meter_provider(made[-1])
    return made


def _resource() -> Resource:
    from opentelemetry.sdk.resources import Resource

    own = {"service.version": version()}
    if not os.environ.get("OTEL_SERVICE_NAME") and "service.name" not in os.environ.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    ):
        own["service.name"] = LIBRARY
    return Resource.create(own)


def _tracer_provider(resource: Resource, exporters: Sequence[Any], settings: Tracing) -> Any:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from hoptrail.core.tracing.wordless import WordlessExporter

    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    for exporter in exporters:
        opened = _opened(exporter)
        sent = opened if settings.capture_content else WordlessExporter(opened)
        provider.add_span_processor(BatchSpanProcessor(sent))
    return provider


def _meter_provider(resource: Resource, exporters: Sequence[Any]) -> Any:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader

    readers = [
        _opened(exporter)
        if issubclass(exporter, MetricReader)
        else PeriodicExportingMetricReader(_opened(exporter))
        for exporter in exporters
    ]
    return MeterProvider(metric_readers=readers, resource=resource, shutdown_on_exit=False)


def _shut_down(providers: Sequence[Any]) -> bool:
    """Send what is left, and return whether that was done in time."""
    # A provider's own limit is half a minute, and it waits for its exporter beyond that.
    threads = [threading.Thread(target=one.shutdown, daemon=True) for one in providers]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + FLUSH_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return not any(thread.is_alive() for thread in threads)
