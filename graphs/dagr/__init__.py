"""DAGR's nodes: sub-question by sub-question."""
