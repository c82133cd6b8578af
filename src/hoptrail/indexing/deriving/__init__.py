"""The graph that all extractions and triples make."""
