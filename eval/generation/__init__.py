"""Questions about a corpus as a whole, written from its description alone."""
