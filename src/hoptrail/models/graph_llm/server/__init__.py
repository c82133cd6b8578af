"""An OpenAI-compatible server of a graph language model."""

from __future__ import annotations

__all__: list[str] = []
