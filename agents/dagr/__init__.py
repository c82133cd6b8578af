"""DAGR's decisions: sub-questions and their answers."""
