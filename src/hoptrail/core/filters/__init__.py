"""Filters of documents: their form in JSON and in text, and what they mean."""
