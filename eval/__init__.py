"""Hoptrail's eval."""
