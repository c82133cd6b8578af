"""Embedders, each with the library that runs it; nothing is imported here."""
