"""Shards: parts of a run that are indexed apart and then merged into one knowledge base."""
