"""Write the report on a community with a chat model, from material that fits a token budget.

The form of the reports, and which parts of the material come first, follow Edge et al., "From Local
to Global", 2024, community summaries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from langchain_core.messages import BaseMessage

from hoptrail.agents.community_reports.report_statements import MATERIAL_TOKENS, ReportMaterial
from hoptrail.core.budget import Meter
from hoptrail.core.render import (
    entity_line,
    finding_line,
    passage_block,
    passage_tokens,
    relation_line,
)
from hoptrail.core.text import clipped, flat, sentence_spans
from hoptrail.core.tokens import estimate_tokens
from hoptrail.core.types import Chunk, Community, Entity, Finding, Relation
from hoptrail.core.types.graph import CO_OCCURS
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.forms.indexing import ReportForm
from hoptrail.prompts.loader import SHIPPED, Prompts

MAX_REPORT_TOKENS = 2_000

_LONGEST_TITLE = 160
_LONGEST_SUMMARY = 2_400
_LONGEST_PART = 1_200
_MOST_FINDINGS = 10

_TOKENS_OF_NUMBER = 3
_TOKENS_OF_HEADINGS = 30
_IDS_OF_REPORT = 20  # what a report on reports refers to must not grow with every level
_SHARE_OF_REPORTS = 0.75  # of the room; what joins the parts needs some of it


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


@dataclass(frozen=True, slots=True)
class Reference:
    """The ids that a number in the prompt stands for."""

    relation_ids: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LaidOutMaterial:
    """The text of a prompt; number n in it stands for `references[n - 1]`."""

    text: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A line and what its number stands for."""

    text: str
    reference: Reference


@dataclass(frozen=True, slots=True)
class _Edge:
    """A relation's line, the lines of the end points that it is the first to name, and tokens."""

    relation: _Numbered
    predicate: str
    ends: tuple[_Numbered, ...]
    tokens: int


@dataclass(slots=True)
class _Kept:
    reports: list[tuple[Community, bool]] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    edges: list[_Edge] = field(default_factory=list)
    told: dict[str, list[str]] = field(default_factory=dict)  # relations by passage


def lay_out(material: ReportMaterial, budget: int) -> LaidOutMaterial:
    """Lay out as much of the material as the budget allows, the most important first.

    The reports of the parts, the largest part first, take the place of the relations inside them
    and of the passages that they rest on: nothing is read twice. Then come the passages behind the
    other relations, which may fill what half of the rest leaves, and the relations that no shown
    passage tells. What a passage says is not said again: its number stands for its relations too.

    Args:
        material: What is known of the community.
        budget: Most tokens that the text may have, about.
    """
    room = budget - _TOKENS_OF_HEADINGS
    kept = _Kept()
    for_reports = int(room * _SHARE_OF_REPORTS)
    room -= for_reports - _fill_reports(kept, material.children, for_reports)
    hidden = {report.id for report, _ in kept.reports}
    relations = [r for r in material.relations if material.child_of.get(r.id) not in hidden]
    needed = sum(edge.tokens for edge in _edges(relations, material, kept))
    passages = _unread_passages(material.chunks, relations, kept.reports)
    for_passages = room - min(needed, room // 2)
    room -= for_passages - _fill_passages(kept, passages, for_passages)
    for edge in _edges(relations, material, kept):
        if edge.tokens > room:
            break
        kept.edges.append(edge)
        room -= edge.tokens
    for relation in relations:
        for id_ in relation.chunk_ids:
            kept.told.setdefault(id_, []).append(relation.id)
    return _number(kept)


def _fill_reports(kept: _Kept, reports: Iterable[Community], room: int) -> int:
    """Keep reports, without their findings where these do not fit, and return the room left."""
    for report in reports:
        for is_whole in (True, False):
            tokens = estimate_tokens("\n".join(_report_lines(report, is_whole)))
            if tokens <= room:
                kept.reports.append((report, is_whole))
                room -= tokens
                break
    return room


def _unread_passages(
    chunks: Iterable[Chunk],
    relations: Iterable[Relation],
    reports: Iterable[tuple[Community, bool]],
) -> list[Chunk]:
    """Return the passages behind the relations that no shown finding rests on."""
    behind = {id_ for relation in relations for id_ in relation.chunk_ids}
    told = {
        id_
        for report, is_whole in reports
        if is_whole
        for finding in report.findings
        for id_ in finding.chunk_ids
    }
    return [chunk for chunk in chunks if chunk.id in behind - told]


def _fill_passages(kept: _Kept, chunks: Iterable[Chunk], room: int) -> int:
    for chunk in chunks:
        tokens = passage_tokens(chunk)
        if tokens <= room:
            kept.chunks.append(chunk)
            room -= tokens
    return room


def _edges(relations: Iterable[Relation], material: ReportMaterial, kept: _Kept) -> list[_Edge]:
    """Return the relations that no shown passage tells, without what else is said already."""
    read = {chunk.id for chunk in kept.chunks}
    reports = (line for one, is_whole in kept.reports for line in _report_lines(one, is_whole))
    text = flat(" ".join([*(chunk.text for chunk in kept.chunks), *reports]))
    entities = {entity.id: entity for entity in material.entities}
    told: set[str] = set()
    edges: list[_Edge] = []
    for relation in relations:
        if not read.isdisjoint(relation.chunk_ids):
            continue
        described = relation.description not in told and flat(relation.description) not in text
        line = relation_line(relation, described=described)[2:]
        told.add(relation.description)
        ends = (entities.pop(end, None) for end in (relation.source, relation.target))
        named = [_member(end, relation, text) for end in ends if end is not None]
        members = tuple(one for one in named if one is not None)
        tokens = sum(
            _TOKENS_OF_NUMBER + estimate_tokens(text) for text in (line, *(m.text for m in members))
        )
        numbered = _Numbered(line, Reference(relation_ids=(relation.id,)))
        edges.append(_Edge(numbered, relation.predicate, members, tokens))
    return edges


def _member(entity: Entity, relation: Relation, text: str) -> _Numbered | None:
    """Return the line of a thing that something is known of beside the text of the passages."""
    if flat(entity.description) in text:
        entity = replace(entity, description="")
    if entity.is_value or not (entity.type or entity.description):
        return None
    told_by = Reference(chunk_ids=entity.chunk_ids[:1])
    if not entity.chunk_ids:
        told_by = Reference(relation_ids=(relation.id,))
    return _Numbered(entity_line(entity)[2:], told_by)


def _number(kept: _Kept) -> LaidOutMaterial:
    references: list[Reference] = []
    lines: list[str] = []

    def add(title: str, some: Sequence[_Numbered]) -> None:
        if some:
            lines.append(title)
        for one in some:
            references.append(one.reference)
            lines.append(f"[{len(references)}] {one.text}")

    reports = [line for one in kept.reports for line in _numbered_report(*one)]
    add("Reports on parts of the group:", reports)
    add("Entities:", [end for edge in kept.edges for end in edge.ends])
    add(_heading_of_relations(kept.edges), [edge.relation for edge in kept.edges])
    if kept.chunks:
        lines.append("Passages:")
    for chunk in kept.chunks:
        told = tuple(kept.told.get(chunk.id, ()))[:_IDS_OF_REPORT]
        references.append(Reference(told, (chunk.id,)))
        lines.append(passage_block(chunk, str(len(references))))
    return LaidOutMaterial("\n".join(lines), tuple(references))


def _heading_of_relations(edges: Iterable[_Edge]) -> str:
    """Say what a relation without words of its own means only where there is one."""
    if any(edge.predicate == CO_OCCURS for edge in edges):
        return f'Relations ("{CO_OCCURS}": two names share a sentence, no more):'
    return "Relations:"


def _numbered_report(report: Community, is_whole: bool) -> list[_Numbered]:
    own, *findings = _report_lines(report, is_whole)
    return [
        _Numbered(own, _union(report)),
        *(
            _Numbered(text, Reference(finding.relation_ids, finding.chunk_ids))
            for text, finding in zip(findings, report.findings, strict=False)
        ),
    ]


def _report_lines(report: Community, is_whole: bool) -> list[str]:
    """Return a line for the report, and where it is whole one for each of its findings."""
    own = flat(f"{report.title} ({report.size} entities): {report.summary}")
    findings = report.findings if is_whole else ()
    return [own, *map(finding_line, findings)]


def _union(report: Community) -> Reference:
    relations = dict.fromkeys(i for finding in report.findings for i in finding.relation_ids)
    chunks = dict.fromkeys(i for finding in report.findings for i in finding.chunk_ids)
    return Reference(tuple(relations)[:_IDS_OF_REPORT], tuple(chunks)[:_IDS_OF_REPORT])
