"""Files that evaluations read and write."""
