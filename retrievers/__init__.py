"""Hoptrail's retrievers."""
