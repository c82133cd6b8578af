"""Figures over many questions: means, intervals, comparisons, kinds of errors."""
