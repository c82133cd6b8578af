"""Judge which look-alike entities are one thing (DotRAG, graph preparation)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from langchain_core.messages import BaseMessage

from hoptrail.core.budget import Meter
from hoptrail.core.render import entity_line
from hoptrail.core.types import Entity
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.indexing import SameThings
from hoptrail.prompts.loader import SHIPPED, Prompts

Group = Sequence[Entity]


async def judge_merges(
    groups: Sequence[Group], model: RoleModel, meter: Meter, *, prompts: Prompts = SHIPPED
) -> list[list[tuple[Entity, ...]]]:
    """Return for each group the sets of its entities that the model takes for one thing.

    Numbers that do not exist are left out, a set that reaches over several groups is cut into its
    parts, and sets of one group that overlap are joined.

    Args:
        groups: Entities that may be the same, at least two in each.
        model: The model of role `extractor`.
        meter: Account of the call.
        prompts: Shipped prompts and their overrides.

    Raises:
        ModelReplyError: If no reply could be read, even after repair and a second try.
        ModelUnavailableError: If the model cannot be reached.
        BudgetExceededError: If no call is left.
    """
    reply = await model.structured(merge_prompt(groups, prompts), SameThings, meter=meter)
    numbers = count(1)
    numbered = [{next(numbers): entity for entity in group} for group in groups]
    return [
        [tuple(group[number] for number in part) for part in _united(reply.same, group)]
        for group in numbered
    ]


def merge_prompt(groups: Sequence[Group], prompts: Prompts = SHIPPED) -> list[BaseMessage]:
    """Return the messages that `judge_merges` sends."""
    numbers = count(1)
    blocks = (
        f"Group {place}\n" + "\n".join(f"{next(numbers)}. {_line(entity)}" for entity in group)
        for place, group in enumerate(groups, start=1)
    )
    return prompts.load("confirm_merges").render(groups="\n\n".join(blocks))


def _line(entity: Entity) -> str:
    return entity_line(entity).removeprefix("- ")


def _united(sets: Iterable[Sequence[int]], known: Iterable[int]) -> Iterator[list[int]]:
    """Yield the parts of the sets that are among the known numbers, overlapping ones as one."""
    allowed = set(known)
    parts: list[set[int]] = []
    for one in sets:
        part = allowed.intersection(one)
        apart = [other for other in parts if part.isdisjoint(other)]
        parts = [*apart, part.union(*(other for other in parts if not part.isdisjoint(other)))]
    yield from (sorted(part) for part in parts if len(part) > 1)
