"""What a request needs at hand: knowledge bases, models and tools by name."""
