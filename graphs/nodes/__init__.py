"""The nodes of the question answering graph, one verb each."""
