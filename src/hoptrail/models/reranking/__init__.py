"""Kinds of rerankers."""
