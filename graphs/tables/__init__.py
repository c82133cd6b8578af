"""Questions over tables: one query, by a template or by a model."""
