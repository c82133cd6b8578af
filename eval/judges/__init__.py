"""Judgements of answers by a language model."""
