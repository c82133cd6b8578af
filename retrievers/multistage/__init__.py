"""Multi-stage retrieval of the best edges around what a question is about."""
