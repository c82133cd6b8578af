"""The knowledge base that a filter's documents make by themselves."""
