"""The roles of `KnowledgeBase`: documents, graph, communities, vectors, over one open folder."""
