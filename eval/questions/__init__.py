"""Questions with their gold answers, documents and facts."""
