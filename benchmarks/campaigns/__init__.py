"""Campaigns against what bases and answers must survive: docs/reliability.md has the figures."""
