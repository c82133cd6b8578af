"""Public question sets as their authors publish them, made ready for an evaluation."""
