"""Personalised PageRank over entities and passages."""
