"""The learned scorer of edges on graphs without passages."""
