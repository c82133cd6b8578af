"""Services of a request: knowledge bases, models and tools by name."""
