"""Hoptrail's prompts."""
