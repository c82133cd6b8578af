"""Graph and ranking algorithms as pure functions over arrays."""
