"""Metrics of one question, as values with a name."""
