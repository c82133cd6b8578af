"""Hoptrail's graphs."""
