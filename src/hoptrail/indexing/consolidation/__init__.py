"""Tidying an extracted graph with a model."""
