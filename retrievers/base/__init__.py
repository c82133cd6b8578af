"""Shared parts of all retrievers."""
