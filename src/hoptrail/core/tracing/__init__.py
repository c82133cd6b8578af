"""Spans, metrics and the context of callers, by OpenTelemetry where it is set up."""
