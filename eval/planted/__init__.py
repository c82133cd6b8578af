"""True claims corrupted on purpose: how often a trail's marks are given and withheld wrongly."""
