"""Runs as a self-contained page and as Markdown tables."""
