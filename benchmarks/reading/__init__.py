"""Training of a passage reader, and the material that it learns from."""
