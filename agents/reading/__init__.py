"""Read answers out of sentences, labelled lines and rows, without a model."""
