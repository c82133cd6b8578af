"""Evidence as the text of a prompt, under a token budget: the one place where that happens.

Passages are data, never instructions: each stands between `<passage>` tags, and whatever looks
like such a tag inside a text is neutralised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from hoptrail.core.conversation import is_conversation
from hoptrail.core.text import clipped, flat
from hoptrail.core.tokens import TokenCounter, estimate_tokens
from hoptrail.core.types import Chunk, Community, Entity, Evidence, Finding, Hit, Path, Relation
from hoptrail.core.types.graph import is_telling

Kind = Literal["paths", "entities", "relations", "chunks", "reports"]

_HEADINGS: dict[Kind, str] = {
    "paths": "Paths:",
    "entities": "Entities:",
    "relations": "Relations:",
    "chunks": "Passages:",
    "reports": "Reports:",
}
_DATED = (
    "The line above messages tells when they were written; words such as "
    "tomorrow or last week count from there. A question about messages may take for granted what "
    "none of them says: then its answer is unknown."
)
_TAG = re.compile(r"<(?=\s*/?\s*passage\b)", re.IGNORECASE)
_LONGEST_DESCRIPTION = 240
_LABEL_OF_UNKNOWN_LENGTH = "P000"


@dataclass(frozen=True, slots=True)
class Rendered:
    """The part of an Evidence that a prompt shows.

    `evidence` is what was kept; `labels` maps the passage labels ("P1") to chunk ids.
    """

    text: str
    tokens: int
    evidence: Evidence
    labels: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Item:
    kind: Kind
    place: int
    hop: int | None
    text: str
    tokens: int


def render(evidence: Evidence, budget: int, count: TokenCounter = estimate_tokens) -> Rendered:
    """Lay out as much of the evidence as the budget allows, whole items only.

    Paths come first, then entities and relations up to half of the room, then passages, then the
    entities, relations and reports that still fit; within a list the given order decides. Where
    items know their hop level, the text has one section per hop, so that each lines up with one
    step of a reasoning chain; else one section per kind.

    Where there are passages, relations that say nothing beside them are left out.

    Args:
        evidence: What was retrieved, each list best first.
        budget: Most tokens that the text may have.
        count: Token counter of the model that will read it.
    """
    evidence = _without_idle_relations(evidence)
    kept = _select(_items(evidence, count), budget - room_for_headings(evidence, count), evidence)
    while True:
        text, labels = _lay_out(kept, evidence)
        tokens = count(text)
        if tokens <= budget or not kept:
            return Rendered(text, tokens, _restrict(evidence, kept), labels)
        kept = _without_last(kept, tokens - budget)


def _without_idle_relations(evidence: Evidence) -> Evidence:
    if not evidence.chunks:
        return evidence
    telling = tuple(hit for hit in evidence.relations if is_telling(hit.item))
    return replace(evidence, relations=telling)


def entity_line(entity: Entity) -> str:
    """Return `- name (type): description`."""
    line = f"- {_flat(entity.name)}"
    if entity.type:
        line += f" ({_flat(entity.type)})"
    return f"{line}: {_shorten(entity.description)}" if entity.description else line


def relation_line(relation: Relation, *, described: bool = True) -> str:
    """Return `- subject | predicate | object (description)`."""
    line = f"- {_triple(relation)}"
    if described and relation.description:
        line += f" ({_shorten(relation.description)})"
    return line


def passage_block(chunk: Chunk, label: str) -> str:
    """Return the passage under its label and title, delimited."""
    # A tag that touched a word would hide it from a whole-token match (coverage, quotes).
    return f"[{label}] {_flat(chunk.title_path)}\n<passage>\n{_neutral(chunk.text)}\n</passage>"


def passage_tokens(chunk: Chunk) -> int:
    """Return the tokens of `passage_block`, from the chunk's own count where it has one."""
    if not chunk.tokens:
        return estimate_tokens(passage_block(chunk, _LABEL_OF_UNKNOWN_LENGTH))
    heading = passage_block(replace(chunk, text=""), _LABEL_OF_UNKNOWN_LENGTH)
    return chunk.tokens + estimate_tokens(heading)


def graph_tokens(evidence: Evidence) -> int:
    """Return the tokens of the entities, relations and reports, as they are rendered."""
    evidence = _without_idle_relations(evidence)
    lines = [entity_line(hit.item) for hit in evidence.entities]
    lines += _relation_lines(evidence)
    lines += [report_block(hit.item) for hit in evidence.reports]
    return estimate_tokens("\n".join(lines))


def room_for_headings(evidence: Evidence, count: TokenCounter = estimate_tokens) -> int:
    """Return the most tokens that the headings of a layout of this evidence take."""
    dated = count(_DATED) if _has_messages(evidence.chunks) else 0
    if not _has_hops(evidence):
        kinds = (line for kind, line in _HEADINGS.items() if getattr(evidence, kind))
        return dated + sum(map(count, kinds))
    sections: set[tuple[int | None, Kind]] = {
        (hop, kind) for kind in _HEADINGS for hop in _hops(evidence, kind)
    }
    levels = {hop for hop, _ in sections}
    headings = sum(count(_section_heading(hop)) for hop in levels)
    return dated + headings + sum(count(_HEADINGS[kind]) for _, kind in sections)


def path_line(path: Path) -> str:
    """Return `- subject | predicate | object -> ... (verdict)`."""
    line = "- " + " -> ".join(_triple(relation) for relation in path.relations)
    return f"{line} ({path.verdict})" if path.verdict else line


def report_block(
    report: Community, budget: int | None = None, count: TokenCounter = estimate_tokens
) -> str:
    """Return a community's report: title and rating, summary, findings.

    Args:
        report: The community.
        budget: Most tokens, if any: findings lose their explanations, then are left out, from the
            last one on; title and summary always stay.
        count: Token counter of the model that will read it.
    """
    title = f"- {_flat(report.title)}"
    title += f" (rating {report.rating:g} of 10)" if report.rating else ""
    block = f"{title}\n{_neutral(report.summary)}".rstrip()
    room = None if budget is None else budget - count(block)
    for finding in report.findings:
        short = f"\n  - {_flat(finding.summary)}"
        line = f"\n  - {_neutral(finding_line(finding))}"
        if room is not None:
            line = line if count(line) <= room else short
            room -= count(line)
            if room < 0:
                break
        block += line
    return block


def finding_line(finding: Finding) -> str:
    """Return a finding as one line: what was found, and its explanation where it has one."""
    summary = flat(finding.summary)
    mark = "" if summary.endswith((".", "!", "?")) or not finding.explanation else ":"
    return flat(f"{summary}{mark} {finding.explanation}")


def _triple(relation: Relation) -> str:
    return " | ".join(
        _flat(part).replace("|", "/")
        for part in (relation.subject, relation.predicate, relation.object)
    )


def _neutral(text: str) -> str:
    return _TAG.sub("&lt;", text) if "<" in text else text


def _flat(text: str) -> str:
    return _neutral(flat(text))


def _shorten(text: str) -> str:
    return clipped(_neutral(text), _LONGEST_DESCRIPTION)


def _items(evidence: Evidence, count: TokenCounter) -> dict[Kind, list[_Item]]:
    """Return every item as the text it would have."""
    label = _LABEL_OF_UNKNOWN_LENGTH
    texts: dict[Kind, list[str]] = {
        "paths": [path_line(hit.item) for hit in evidence.paths],
        "entities": [entity_line(hit.item) for hit in evidence.entities],
        "relations": _relation_lines(evidence),
        "chunks": [passage_block(hit.item, label) for hit in evidence.chunks],
        "reports": [report_block(hit.item) for hit in evidence.reports],
    }
    return {
        kind: [
            _Item(kind, place, hop, text, count(text))
            for place, (text, hop) in enumerate(zip(lines, _hops(evidence, kind), strict=True))
        ]
        for kind, lines in texts.items()
    }


def _relation_lines(evidence: Evidence) -> list[str]:
    """Return the lines of the relations; a sentence describes one of them only."""
    lines: list[str] = []
    descriptions: set[str] = set()
    for hit in evidence.relations:
        lines.append(relation_line(hit.item, described=hit.item.description not in descriptions))
        descriptions.add(hit.item.description)
    return lines


def _hops(evidence: Evidence, kind: Kind) -> list[int | None]:
    return [hit.hop for hit in getattr(evidence, kind)]


def _select(items: dict[Kind, list[_Item]], room: int, evidence: Evidence) -> list[_Item]:
    """Return the items that fit, most important first."""
    graph = sorted(
        [*items["entities"], *items["relations"]],
        key=lambda item: (item.hop or 0, item.place, item.kind),
    )
    kept: list[_Item] = []
    room = _fill(kept, items["paths"], room)
    share = room // 2 if evidence.chunks else room
    room -= share - _fill(kept, graph, share)
    room = _fill(kept, items["chunks"], room)
    taken = set(kept)
    room = _fill(kept, (item for item in graph if item not in taken), room)
    _fill(kept, items["reports"], room)
    return kept


def _fill(kept: list[_Item], items: Iterable[_Item], room: int) -> int:
    for item in items:
        if item.tokens <= room:
            kept.append(item)
            room -= item.tokens
    return room


def _without_last(kept: Sequence[_Item], excess: int) -> list[_Item]:
    """Return the items but the least important ones that make up for the excess, one at least.

    Tokens of a whole text can exceed the sum over its parts: line breaks count for some models.
    """
    left = list(kept)
    while left and excess > 0:
        excess -= max(left.pop().tokens, 1)
    return left


def _has_hops(evidence: Evidence) -> bool:
    """Return whether to lay out by hop: what a compressor tagged, or a graph without passages."""
    graph: list[Hit[Any]] = [*evidence.entities, *evidence.relations]
    return any(hit.hop is not None for hit in evidence.chunks or graph)


def _levels(evidence: Evidence) -> list[int]:
    hits: list[Hit[Any]] = [*evidence.entities, *evidence.relations, *evidence.chunks]
    hits += evidence.paths
    return sorted({hit.hop for hit in hits if hit.hop is not None})


def _section_heading(level: int | None) -> str:
    if level is None:
        return "== Further evidence =="
    return "== Hop 0 (named in the question) ==" if level == 0 else f"== Hop {level} =="


def _lay_out(kept: Sequence[_Item], evidence: Evidence) -> tuple[str, dict[str, str]]:
    labels: dict[str, str] = {}
    if not _has_hops(evidence):
        return "\n".join(_section(kept, evidence, labels)), labels
    lines: list[str] = []
    for level in (*_levels(evidence), None):
        of_level = [item for item in kept if item.hop == level]
        if of_level:
            lines += [_section_heading(level), *_section(of_level, evidence, labels)]
    return "\n".join(lines), labels


def _section(items: Sequence[_Item], evidence: Evidence, labels: dict[str, str]) -> list[str]:
    """Return the lines of one section and add the labels of its passages.

    Judged paths come first. Paths that are only ranked end a prompt, the best one last: a model
    overlooks what stands in the middle (Chen et al., "PathRAG", 2025, section 3.4).
    """
    lines: list[str] = []
    ends_with_best = any(hit.item.verdict is None for hit in evidence.paths)
    kinds = sorted(_HEADINGS, key=lambda kind: ends_with_best and kind == "paths")
    for kind in kinds:
        of_kind = sorted((i for i in items if i.kind == kind), key=lambda item: item.place)
        if ends_with_best and kind == "paths":
            of_kind.reverse()
        if of_kind:
            lines.append(_HEADINGS[kind])
        if kind == "chunks" and not labels and _has_messages(evidence.chunks):
            lines.append(_DATED)
        for item in of_kind:
            if kind == "chunks":
                chunk = evidence.chunks[item.place].item
                label = f"P{len(labels) + 1}"
                labels[label] = chunk.id
                lines.append(passage_block(chunk, label))
            else:
                lines.append(item.text)
    return lines


def _has_messages(chunks: Iterable[Hit[Chunk]]) -> bool:
    return any(is_conversation(hit.item.text) for hit in chunks)


def _restrict(evidence: Evidence, kept: Sequence[_Item]) -> Evidence:
    places: dict[Kind, set[int]] = {kind: set() for kind in _HEADINGS}
    for item in kept:
        places[item.kind].add(item.place)
    return Evidence(
        **{
            kind: tuple(hit for i, hit in enumerate(getattr(evidence, kind)) if i in places[kind])
            for kind in _HEADINGS
        }
    )
