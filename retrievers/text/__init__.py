"""Passages alone: by words, by vectors, all of them."""
