"""Write the report on a community without a model: its central names, themes and key sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hoptrail.agents.community_reports.central_names import (
    central_names,
    centrality_of,
    named_in,
    words_in_names,
)
from hoptrail.agents.community_reports.key_statements import choose_statements, unit_weights
from hoptrail.agents.community_reports.report_material import ReportMaterial
from hoptrail.agents.community_reports.report_statements import Statement, joined, statements
from hoptrail.core.types import Community, Entity, Finding

_NAMES_IN_TITLE = 3
_THEMES = 5
_KEY_SENTENCES = 2
_FEWEST_FINDINGS = 3
_MOST_FINDINGS = 8


def extractive_report(material: ReportMaterial) -> Community | None:
    """Return the community with a report made of its own names and sentences.

    The title holds the central entities; the summary adds recurring words and the key sentences;
    each finding is a key sentence under the names that it is about. The rating compares the
    relations inside the community with those of the graph, on a logarithmic scale.

    Returns:
        The report; None where there is nothing to tell.
    """
    told = statements(material) if material.tells_something else []
    if not told:
        return None
    centrality = centrality_of(material.entities, told)
    is_whole = material.relation_count <= len(material.relations)
    # Otherwise the order of the entities knows more relations than the statements do.
    names = central_names(material.entities, centrality if is_whole else {})
    names = names or _any_names(material)
    word_counts = Counter(word for statement in told for word in statement.terms)
    weights = unit_weights(material, centrality, word_counts)
    chosen = choose_statements(told, weights, _finding_count(material))
    return replace(
        material.community,
        title=joined(names[:_NAMES_IN_TITLE]),
        summary=_summary(material, names, _themes(material, word_counts), chosen),
        rating=round(_rating(material), 1),
        rating_reason=f"It holds {material.relation_count:,} of the graph's "
        f"{material.graph_relations:,} relations.",
        findings=tuple(_findings(chosen, material.entities, centrality)),
    )


def _any_names(material: ReportMaterial) -> list[str]:
    """Return what the entities are called where none has a proper name."""
    called = (" ".join(entity.name.split()) for entity in material.entities)
    return list(filter(None, called))[:_NAMES_IN_TITLE]


def _themes(material: ReportMaterial, word_counts: Mapping[str, int]) -> list[str]:
    """Return the words that most statements share, no name contains and few passages have.

    A bare graph only repeats its predicates.
    """
    if not material.chunks:
        return []
    left_out = words_in_names(material.entities) | material.common_words
    shared = [w for w, n in word_counts.items() if n > 1 and w not in left_out and w.isalpha()]
    return sorted(shared, key=lambda word: (-word_counts[word], word))[:_THEMES]


def _finding_count(material: ReportMaterial) -> int:
    wanted = round(1.5 * math.log2(max(material.community.size, 2)))
    return min(max(wanted, _FEWEST_FINDINGS), _MOST_FINDINGS)


def _summary(
    material: ReportMaterial,
    names: Sequence[str],
    themes: Sequence[str],
    chosen: Sequence[Statement],
) -> str:
    size = material.community.size
    opening = f"{size:,} entities around {joined(names)}."
    recurring = f" Recurring words: {', '.join(themes)}." if themes else ""
    # Rows of a table stand in the findings; a few of them are no summary of the others.
    sentences = [statement.text for statement in chosen if not statement.is_row]
    return " ".join([f"{opening}{recurring}", *sentences[:_KEY_SENTENCES]])


def _findings(
    chosen: Sequence[Statement], entities: Sequence[Entity], centrality: Mapping[str, float]
) -> list[Finding]:
    """Return one finding per headline: what is chosen about the same names stands together."""
    by_id = {entity.id: entity for entity in entities}
    grouped: dict[str, list[Statement]] = {}
    for statement in chosen:
        headline = statement.headline
        if not headline:
            named = central_names(named_in(statement, by_id), centrality)
            headline = joined(named[:_NAMES_IN_TITLE])
        grouped.setdefault(headline, []).append(statement)
    return [
        Finding(
            headline or about[0].text,
            " ".join(statement.text for statement in about[0 if headline else 1 :]),
            tuple(dict.fromkeys(id_ for s in about for id_ in s.relation_ids)),
            tuple(dict.fromkeys(id_ for s in about for id_ in s.chunk_ids)),
        )
        for headline, about in grouped.items()
    ]


def _rating(material: ReportMaterial) -> float:
    total = max(material.graph_relations, material.relation_count, 1)
    return 10 * math.log1p(material.relation_count) / math.log1p(total)
