"""Text to Cypher: the query, its repair, and the answer that its rows give."""
