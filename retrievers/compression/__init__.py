"""Less evidence for the same question."""
