"""What the process tells OpenTelemetry: spans, metrics, the context of its callers."""
