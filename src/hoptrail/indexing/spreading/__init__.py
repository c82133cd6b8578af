"""Indexing that is spread: one shard by itself, all by processes of this machine, or by Ray."""
