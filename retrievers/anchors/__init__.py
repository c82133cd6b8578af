"""Find the entities that a question names, where a search starts."""
