"""The database of a knowledge base: its tables, its lock, the rows that other parts read."""
