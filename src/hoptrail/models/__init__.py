"""Hoptrail's models."""
