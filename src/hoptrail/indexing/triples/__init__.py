"""Triples that others extracted, with passages or without."""
