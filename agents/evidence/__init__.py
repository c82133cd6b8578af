"""Evidence as agents read it: sentences, names and the claims they make."""
