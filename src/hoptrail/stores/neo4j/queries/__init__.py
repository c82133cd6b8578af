"""Queries that a model writes: read, restricted to one base, checked and run."""
