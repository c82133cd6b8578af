"""Hoptrail's testing."""
