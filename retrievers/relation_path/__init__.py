"""Relation paths that fit a question's wording best."""
