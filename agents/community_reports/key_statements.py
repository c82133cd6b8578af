"""Chooses the statements that say most about a community together.

Maximum coverage with a length penalty, greedily (Takamura and Okumura 2009): what a chosen
statement has said already counts for nothing in the next one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hoptrail.agents.community_reports.report_material import ReportMaterial
from hoptrail.agents.community_reports.report_statements import Statement

_WORTH_OF_WORD = 0.2  # against an entity that is stated as often
_LENGTH_OFFSET = 40  # characters: keeps the shortest statements from winning by their length alone


def unit_weights(
    material: ReportMaterial, centrality: Mapping[str, float], word_counts: Mapping[str, int]
) -> dict[str, float]:
    """Return what it is worth to tell of each entity (by id), part (by id) and word.

    Args:
        material: The community.
        centrality: How much is stated about each entity, by id.
        word_counts: In how many statements each word stands.
    """
    weights = {
        word: _WORTH_OF_WORD * math.log(count)
        for word, count in word_counts.items()
        if count > 1 and word not in material.common_words
    }
    weights.update((id_, math.log1p(value)) for id_, value in centrality.items())
    weights.update((child.id, math.log1p(child.size)) for child in material.children)
    return weights


def choose_statements(
    told: Sequence[Statement], weights: Mapping[str, float], number: int
) -> list[Statement]:
    """Return at most `number` statements, those that cover most weight first.

    One at least is chosen, and none that adds nothing. The sums are exact, as the order of a set
    differs between runs.
    """
    units = [{*s.entity_ids, *s.terms, s.part} & weights.keys() for s in told]
    worth = [s.clarity / math.sqrt(_LENGTH_OFFSET + len(s.text)) for s in told]
    left = list(range(len(told)))
    chosen: list[Statement] = []
    while left and len(chosen) < number:
        gains = [worth[i] * math.fsum(weights[unit] for unit in units[i]) for i in left]
        best = left[gains.index(max(gains))]
        if chosen and max(gains) <= 0:
            break
        chosen.append(told[best])
        left.remove(best)
        covered = units[best]
        units = [own - covered for own in units]
    return chosen
