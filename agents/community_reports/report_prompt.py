"""The material of a report as the text of a prompt, under a token budget.

Which parts come first follows Edge et al., "From Local to Global", 2024, community summaries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hoptrail.agents.community_reports.report_material import ReportMaterial
from hoptrail.core.render import entity_line, passage_block, passage_tokens, relation_line
from hoptrail.core.text import flat
from hoptrail.core.tokens import TokenCounter, estimate_tokens
from hoptrail.core.types import Chunk, Community, Finding, Relation

_TOKENS_OF_NUMBER = 3
_TOKENS_OF_HEADINGS = 20
_IDS_OF_REPORT = 20  # what a report on reports refers to must not grow with every level


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
class _Edge:
    """A relation's line, the lines of the end points that it is the first to name, and tokens."""

    relation: Relation
    line: str
    entity_lines: tuple[str, ...]
    tokens: int


@dataclass(slots=True)
class _Kept:
    reports: list[tuple[Community, bool]] = field(default_factory=list)
    edges: list[_Edge] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)


def lay_out(
    material: ReportMaterial, budget: int, count: TokenCounter = estimate_tokens
) -> LaidOutMaterial:
    """Lay out as much of the material as the budget allows, the most important first.

    Where the relations do not fit, the reports of the parts take the place of the relations inside
    them, the largest part first. The relations may fill half of what is left, then come the
    passages behind them, then further relations.

    Args:
        material: What is known of the community.
        budget: Most tokens that the text may have, about.
        count: Token counter of the model that will read it.
    """
    room = budget - _TOKENS_OF_HEADINGS
    edges = _edges(material.relations, material, count)
    replaced = _replaced(material, edges, _share(material, room))
    kept = _Kept()
    for child in replaced:
        for is_whole in (True, False):
            tokens = count("\n".join(_report_lines(child, is_whole=is_whole)))
            if tokens <= room:
                kept.reports.append((child, is_whole))
                room -= tokens
                break
    hidden = {child.id for child in replaced}
    if hidden:
        rest = [r for r in material.relations if material.child_of.get(r.id) not in hidden]
        edges = _edges(rest, material, count)
    share = _share(material, room)
    room -= share - _fill(kept.edges, edges, share)
    for chunk in material.chunks:
        tokens = passage_tokens(chunk, count)
        if tokens <= room:
            kept.chunks.append(chunk)
            room -= tokens
    _fill(kept.edges, edges[len(kept.edges) :], room)
    return _number(kept)


def _share(material: ReportMaterial, room: int) -> int:
    return room // 2 if material.chunks else room


def _edges(
    relations: Iterable[Relation], material: ReportMaterial, count: TokenCounter
) -> list[_Edge]:
    entities = {entity.id: entity for entity in material.entities}
    told: set[str] = set()
    edges: list[_Edge] = []
    for relation in relations:
        line = relation_line(relation, described=relation.description not in told)[2:]
        told.add(relation.description)
        ends = [entities.pop(end, None) for end in (relation.source, relation.target)]
        named = tuple(
            entity_line(end) for end in ends if end is not None and (end.type or end.description)
        )
        tokens = _TOKENS_OF_NUMBER + sum(count(text) for text in (line, *named))
        edges.append(_Edge(relation, line, named, tokens))
    return edges


def _replaced(material: ReportMaterial, edges: Sequence[_Edge], room: int) -> list[Community]:
    """Return the parts whose reports must stand for their relations, largest first."""
    is_complete = material.relation_count <= len(material.relations)
    tokens = sum(edge.tokens for edge in edges)
    inside: dict[str, int] = {}
    for edge in edges:
        part = material.child_of.get(edge.relation.id, "")
        inside[part] = inside.get(part, 0) + edge.tokens
    replaced: list[Community] = []
    for child in material.children:
        if is_complete and tokens <= room:
            break
        replaced.append(child)
        tokens -= inside.get(child.id, 0)
    return replaced


def _fill(kept: list[_Edge], edges: Iterable[_Edge], room: int) -> int:
    """Keep edges as long as they fit, in order, and return the room that is left."""
    for edge in edges:
        if edge.tokens > room:
            break
        kept.append(edge)
        room -= edge.tokens
    return room


def _number(kept: _Kept) -> LaidOutMaterial:
    references: list[Reference] = []
    lines: list[str] = []

    def numbered(text: str, reference: Reference) -> str:
        references.append(reference)
        return f"[{len(references)}] {text}"

    if kept.reports:
        lines.append("Reports on parts of the group:")
    for report, is_whole in kept.reports:
        own, *findings = _report_lines(report, is_whole=is_whole)
        lines.append(numbered(own, _union(report)))
        for text, finding in zip(findings, report.findings, strict=False):
            lines.append(numbered(text, Reference(finding.relation_ids, finding.chunk_ids)))
    entity_lines = [line for edge in kept.edges for line in edge.entity_lines]
    if entity_lines:
        lines += ["Entities:", *entity_lines]
    if kept.edges:
        lines.append("Relations:")
    for edge in kept.edges:
        lines.append(numbered(edge.line, Reference(relation_ids=(edge.relation.id,))))
    if kept.chunks:
        lines.append("Passages:")
    for chunk in kept.chunks:
        references.append(Reference(chunk_ids=(chunk.id,)))
        lines.append(passage_block(chunk, str(len(references))))
    return LaidOutMaterial("\n".join(lines), tuple(references))


def _report_lines(report: Community, *, is_whole: bool) -> list[str]:
    """Return a line for the report, and where it is whole one for each of its findings."""
    own = flat(f"{report.title} ({report.size} entities): {report.summary}")
    findings = report.findings if is_whole else ()
    return [own, *map(_finding_line, findings)]


def _finding_line(finding: Finding) -> str:
    mark = "" if finding.summary.endswith((".", "!", "?")) or not finding.explanation else ":"
    return flat(f"{finding.summary}{mark} {finding.explanation}")


def _union(report: Community) -> Reference:
    relations = dict.fromkeys(i for finding in report.findings for i in finding.relation_ids)
    chunks = dict.fromkeys(i for finding in report.findings for i in finding.chunk_ids)
    return Reference(tuple(relations)[:_IDS_OF_REPORT], tuple(chunks)[:_IDS_OF_REPORT])
