"""DotRAG: evidence along paths from the question's concepts."""
