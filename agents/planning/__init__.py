"""Decisions before retrieval: the standalone question, its type, its keywords."""
