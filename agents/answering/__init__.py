"""Answers by prompt: what is asked of a model, and how its reply is read."""
