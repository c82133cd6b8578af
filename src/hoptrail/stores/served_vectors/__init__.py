"""A base whose vectors a server searches, and whose graph comes from elsewhere."""
