"""Paths of relations: finding them, and those of the same steps."""
