"""Many model calls at once, and what they cost."""
