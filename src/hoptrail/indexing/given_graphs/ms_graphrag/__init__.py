"""Import of index folders that Microsoft GraphRAG wrote, with their communities and reports."""
