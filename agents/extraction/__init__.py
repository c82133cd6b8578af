"""Decisions while documents are indexed: what they state, which names are one thing."""
