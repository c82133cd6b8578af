"""Campaigns against what a base and its answers must survive; docs/reliability.md has the figures."""
