"""Rules by which the paths of one search are judged (source 002, neighbourhood construction)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hoptrail.agents.dotrag.concept_writer import schema_texts
from hoptrail.core.budget import Meter
from hoptrail.core.errors import ModelError
from hoptrail.core.types import JsonDict, Record
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.dotrag import Constraints
from hoptrail.prompts.loader import load_prompt


@dataclass(frozen=True, slots=True)
class Rules(Record):
    """What counts for a question at one concept; `entity_types` empty keeps every type."""

    query: str = ""
    intermediate: str = ""
    terminal: str = ""
    entity_types: tuple[str, ...] = ()
    degraded: bool = False

    @property
    def text(self) -> str:
        """The rules as a judge reads them."""
        lines = {
            "The question demands": self.query,
            "Intermediate evidence": self.intermediate,
            "Terminal evidence": self.terminal,
        }
        written = [f"{name}: {rule}" for name, rule in lines.items() if rule]
        return "\n".join(written) or "Terminal evidence: what answers the question."


async def write_constraints(
    question: str,
    concept: str,
    schema: JsonDict,
    model: RoleModel | None,
    meter: Meter,
    *,
    prompts_dir: Path | None = None,
) -> Rules:
    """Return the rules for one concept; without a model none, so that every type is kept.

    Entity types that the schema does not know are left out.

    Args:
        question: The standalone question.
        concept: Where the search starts, with a guess of what it is.
        schema: The graph's `description` and its `entity_types`.
        model: Model of the role `decomposer`.
        meter: Account of the call.
        prompts_dir: Folder of prompts that override the shipped ones.

    Raises:
        BudgetExceededError: If a model is given and no call is left.
    """
    if model is None:
        return Rules()
    messages = load_prompt("write_constraints", prompts_dir).render(
        question=question, concept=concept, **schema_texts(schema)
    )
    try:
        reply = await model.structured(messages, Constraints, meter=meter)
    except ModelError:
        return Rules(degraded=True)
    known = {name.casefold(): name for name in schema.get("entity_types") or {}}
    kept = (known.get(name.strip().casefold()) for name in reply.entity_types)
    types = tuple(dict.fromkeys(name for name in kept if name is not None))
    return Rules(reply.query.strip(), reply.intermediate.strip(), reply.terminal.strip(), types)
