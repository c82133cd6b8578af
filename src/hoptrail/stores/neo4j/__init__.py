"""A knowledge base published to Neo4j, as a graph that other tools read as it is."""
