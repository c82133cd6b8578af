"""One generation of a knowledge base as arrays in memory-mapped files, for searching."""
