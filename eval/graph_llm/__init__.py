"""Training examples and evaluation of the graph language model."""
