"""GraphRAG's nodes: map over batches of reports, and reduce."""
