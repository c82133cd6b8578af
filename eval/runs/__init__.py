"""Runs of an evaluation: their plan, their rows, their record."""
