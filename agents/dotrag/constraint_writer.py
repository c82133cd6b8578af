"""Write the rules by which the paths of one search are judged (DotRAG, section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.agents.decision import PromptedModel, decide
from hoptrail.agents.dotrag.concept_writer import schema_texts
from hoptrail.core.types import JsonDict, Record
from hoptrail.prompts.forms.dotrag import Constraints


@dataclass(frozen=True, slots=True)
class Rules(Record):
    """Constraints of a search from one concept; `entity_types` empty keeps every type."""

    query: str = ""
    intermediate: str = ""
    terminal: str = ""
    entity_types: tuple[str, ...] = ()

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
    question: str, concept: str, schema: JsonDict, model: PromptedModel | None
) -> Rules:
    """Return the rules for one concept; without a model none, so that every type is kept.

    Entity types that the schema does not know are left out.

    Args:
        question: The standalone question.
        concept: Where the search starts, with a guess of what it is.
        schema: The graph's `description` and its `entity_types`.
        model: Model of the role `decomposer`.
    """

    async def ask(model: PromptedModel) -> Rules:
        reply = await model.structured(
            "write_constraints",
            Constraints,
            question=question,
            concept=concept,
            **schema_texts(schema),
        )
        known = {name.casefold(): name for name in schema.get("entity_types") or {}}
        named = (known.get(name.strip().casefold()) for name in reply.entity_types)
        types = tuple(dict.fromkeys(name for name in named if name is not None))
        return Rules(reply.query.strip(), reply.intermediate.strip(), reply.terminal.strip(), types)

    return await decide(model, ask, Rules)
