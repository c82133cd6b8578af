"""Scores and ranks, from items to evidence."""
