"""Hoptrail's indexing."""
