"""The node of text to Cypher."""
