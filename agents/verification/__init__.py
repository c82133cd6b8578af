"""Checks of an answer against the passages and relations it cites."""
