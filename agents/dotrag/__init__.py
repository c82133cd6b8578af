"""DotRAG's decisions: concepts, constraints, paths that fit, the next query."""
