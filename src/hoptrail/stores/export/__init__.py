"""A knowledge base written out as files for other programs."""
