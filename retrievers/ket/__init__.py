"""KET-RAG: an entity channel and a keyword channel in one budget."""
