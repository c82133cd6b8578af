"""A few dozen small questions that show what a model can do for Hoptrail, and how fast."""
