"""A frozen decoder that reads a subgraph twice: as text and as learned graph tokens."""

__all__: list[str] = []
