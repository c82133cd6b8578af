"""Hoptrail's tools."""
