"""GraphRAG's decisions: partial answers from community reports, and one answer of them."""
