"""Write the report on a community with a chat model.

The form of the reports follows Edge et al., "From Local to Global", 2024, community summaries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from langchain_core.messages import BaseMessage

from hoptrail.agents.community_reports.report_material import MATERIAL_TOKENS, ReportMaterial
from hoptrail.agents.community_reports.report_prompt import LaidOutMaterial, Reference, lay_out
from hoptrail.core.budget import Meter
from hoptrail.core.text import clipped, flat, sentence_spans
from hoptrail.core.types import Community, Finding, Relation
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.indexing import ReportForm
from hoptrail.prompts.loader import SHIPPED, Prompts

MAX_REPORT_TOKENS = 2_000

_LONGEST_TITLE = 160
_LONGEST_SUMMARY = 2_400
_LONGEST_PART = 1_200
_MOST_FINDINGS = 10


async def write_report(
    material: ReportMaterial,
    model: RoleModel,
    meter: Meter,
    *,
    budget: int = MATERIAL_TOKENS,
    prompts: Prompts = SHIPPED,
) -> Community | None:
    """Return the community with the report that the model writes on it.

    The model refers to relations, passages and findings of the parts by their numbers in the
    prompt. A number that does not exist is removed, a finding without any left is left out. Texts
    far longer than asked for are cut at the end of a sentence.

    Args:
        material: The community and what is known of it.
        model: The model of role `reporter`.
        meter: Account of the calls.
        budget: Most tokens of material.
        prompts: Shipped prompts and their overrides.

    Returns:
        The report; None where no finding has a reference, so that nothing in it can be checked.

    Raises:
        ModelReplyError: If no reply could be read, even after repair and a second try.
        ModelUnavailableError: If the model cannot be reached.
        BudgetExceededError: If no call is left.
    """
    laid_out = lay_out(material, budget)
    messages = _messages(laid_out, prompts)
    form = await model.structured(messages, ReportForm, meter=meter, max_tokens=MAX_REPORT_TOKENS)
    return _grounded(form, material, laid_out.references)


def report_prompt(
    material: ReportMaterial, budget: int = MATERIAL_TOKENS, prompts: Prompts = SHIPPED
) -> list[BaseMessage]:
    """Return the messages that `write_report` sends."""
    return _messages(lay_out(material, budget), prompts)


def reporter_key(model: str, budget: int = MATERIAL_TOKENS, prompts: Prompts = SHIPPED) -> str:
    """Return the name of who writes the reports: they are reused only under the same name."""
    made_with = f"{prompts.load('report_community').hash}\0{budget}"
    return f"llm:{model}:{hashlib.sha256(made_with.encode()).hexdigest()[:12]}"


def _messages(laid_out: LaidOutMaterial, prompts: Prompts) -> list[BaseMessage]:
    return prompts.load("report_community").render(material=laid_out.text)


def _grounded(
    form: ReportForm, material: ReportMaterial, references: Sequence[Reference]
) -> Community | None:
    relations = {relation.id: relation for relation in material.relations}
    findings: list[Finding] = []
    for item in form.findings[:_MOST_FINDINGS]:
        known = [references[n - 1] for n in item.references if 0 < n <= len(references)]
        if known:
            summary, explanation = (
                _shortened(text, _LONGEST_PART) for text in (item.summary, item.explanation)
            )
            findings.append(Finding(summary, explanation, *_ids(known, relations)))
    if not findings:
        return None
    return replace(
        material.community,
        title=_shortened(form.title, _LONGEST_TITLE),
        summary=_shortened(form.summary, _LONGEST_SUMMARY),
        rating=round(form.rating, 1),
        findings=tuple(findings),
    )


def _ids(
    references: Iterable[Reference], relations: dict[str, Relation]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the relations and passages of references, a relation's first passage among them."""
    relation_ids: dict[str, None] = {}
    chunk_ids: dict[str, None] = {}
    for reference in references:
        relation_ids.update(dict.fromkeys(reference.relation_ids))
        chunk_ids.update(dict.fromkeys(reference.chunk_ids))
        for relation_id in reference.relation_ids:
            if relation_id in relations:
                chunk_ids.update(dict.fromkeys(relations[relation_id].chunk_ids[:1]))
    return tuple(relation_ids), tuple(chunk_ids)


def _shortened(text: str, longest: int) -> str:
    """Return the text in one line, cut after the last sentence or word that fits."""
    line = flat(text)
    ends = [end for _, end in sentence_spans(line) if end <= longest]
    return line[: ends[-1]] if ends and len(line) > longest else clipped(line, longest)
