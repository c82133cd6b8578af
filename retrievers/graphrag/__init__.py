"""GraphRAG: community reports and what surrounds a question's entities."""
