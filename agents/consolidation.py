"""Decisions of consolidation: which entities are one thing, and what their types are (DotRAG)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from langchain_core.messages import BaseMessage

from hoptrail.core.budget import Meter
from hoptrail.core.render import entity_line
from hoptrail.core.text import name_key
from hoptrail.core.types import Entity
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.indexing import SameThings, TypeLabels
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


@dataclass(frozen=True, slots=True)
class TypeInUse:
    """A type that entities bear, and the names of a few of them."""

    name: str
    examples: tuple[str, ...] = ()


async def label_types(
    types: Sequence[TypeInUse],
    schema: Mapping[str, str],
    model: RoleModel,
    meter: Meter,
    *,
    prompts: Prompts = SHIPPED,
) -> dict[str, str]:
    """Return the schema's type for each of these types.

    The model is asked once more for those that it left out, labelled twice or gave a type that the
    schema does not have; what is then still open is missing in the result.

    Args:
        types: The batch.
        schema: Definition of each allowed type.
        model: The model of role `extractor`.
        meter: Account of the calls.
        prompts: Shipped prompts and their overrides.

    Raises:
        ModelReplyError: If no reply could be read, even after repair and a second try.
        ModelUnavailableError: If the model cannot be reached.
        BudgetExceededError: If no call is left.
    """
    labels: dict[str, str] = {}
    for _ in range(2):
        asked = [type_ for type_ in types if type_.name not in labels]
        if asked:
            messages = label_prompt(asked, schema, prompts)
            reply = await model.structured(messages, TypeLabels, meter=meter)
            labels.update(_unambiguous(reply, asked, schema))
    return labels


def label_prompt(
    types: Sequence[TypeInUse], schema: Mapping[str, str], prompts: Prompts = SHIPPED
) -> list[BaseMessage]:
    """Return the messages that `label_types` sends first."""
    lines = (
        f"{number}. {type_.name}" + (f" (as {', '.join(type_.examples)})" if type_.examples else "")
        for number, type_ in enumerate(types, start=1)
    )
    allowed = (f"- {name}: {text}" if text else f"- {name}" for name, text in schema.items())
    return prompts.load("label_types").render(schema="\n".join(allowed), types="\n".join(lines))


def _unambiguous(
    reply: TypeLabels, asked: Sequence[TypeInUse], schema: Mapping[str, str]
) -> dict[str, str]:
    known = {name_key(name): name for name in schema}
    said: dict[int, set[str]] = {}
    for label in reply.labels:
        said.setdefault(label.number, set()).add(known.get(name_key(label.type), ""))
    return {
        type_.name: label
        for number, type_ in enumerate(asked, start=1)
        for label in said.get(number, ())
        if label and len(said[number]) == 1
    }
