"""The shards of a run: their folders, and the writer that merges them."""
