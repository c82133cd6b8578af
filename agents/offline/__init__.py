"""Answers without a model: chains of stated facts, comparisons, counts."""
