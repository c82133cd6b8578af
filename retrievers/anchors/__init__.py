"""Where a search starts: what a question names."""
