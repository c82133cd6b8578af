"""Graphs that are given instead of extracted: files of triples, and what stands in Neo4j."""
