"""A small model that finds the words of a passage that answer a question."""
