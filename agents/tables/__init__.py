"""Questions over tables: one query, written by templates or by a model, and its answer."""
