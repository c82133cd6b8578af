"""Passages chosen one by one, each for what the chosen ones leave open."""
