"""The forms that models are asked to fill in."""
