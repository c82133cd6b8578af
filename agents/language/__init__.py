"""English as the rules read it: names, mentions, steps and types of a question."""
