"""A LLaMA-family model that reads a subgraph twice: as text and as a learned graph token."""

__all__: list[str] = []
