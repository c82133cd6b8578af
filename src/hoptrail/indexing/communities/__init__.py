"""Communities of the graph: the hierarchy, and the reports on it."""
