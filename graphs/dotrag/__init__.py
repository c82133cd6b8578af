"""DotRAG's nodes: branches that search along paths."""
