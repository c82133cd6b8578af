"""Measurements: each prints the figures that the documentation states."""
