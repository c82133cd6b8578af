"""Sixty tables of invented organisations in ten kinds, with a hundred and twenty questions."""
