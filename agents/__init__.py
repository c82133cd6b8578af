"""Hoptrail's agents."""
