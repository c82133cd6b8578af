"""Which passage is read by which extractor: a chat model, or rules."""
