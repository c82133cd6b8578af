"""A small knowledge base for the rules that understand a follow-up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hoptrail.agents.planning.spoken_things import Sources
from hoptrail.core.types import Chunk, Entity


def sources_with(
    texts: Mapping[str, str], trail: tuple[str, ...] = (), types: Mapping[str, str] | None = None
) -> Sources:
    """Return the sources of a base with these texts by title, and a type for some names."""
    chunks = [Chunk(title, title, title, text, 0, len(text)) for title, text in texts.items()]
    known = {name: [Entity(name, name, type_)] for name, type_ in (types or {}).items()}

    async def passages(text: str, most: int) -> list[Chunk]:
        words = text.lower().split()
        having = [one for one in chunks if any(word in one.text.lower() for word in words)]
        return having[:most]

    async def entities(names: Sequence[str]) -> dict[str, list[Entity]]:
        return {name: known[name] for name in names if name in known}

    async def trail_of(question: str, answer: str) -> tuple[str, ...]:
        return trail

    return Sources(passages, entities, trail_of)
