"""Write the report on a community without a model: its central names, themes and key sentences.

Chooses the statements that say most about a community together.

Maximum coverage with a length penalty, greedily (Takamura and Okumura 2009): what a chosen
statement has said already counts for nothing in the next one.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from hoptrail.agents.community_reports.report_statements import (
    ReportMaterial,
    Statement,
    joined,
    statements,
)
from hoptrail.core.names import is_unnamed
from hoptrail.core.text import content_words, flat
from hoptrail.core.types import Community, Entity, Finding

_NAMES_IN_TITLE = 3
_THEMES = 5
_KEY_SENTENCES = 2
_FEWEST_FINDINGS = 3
_MOST_FINDINGS = 8

_LONGEST_NAME = 60
_MOST_NAMES = 6
_UNNAMED_SHARE = 0.5  # of a statement that does not name the entity, as "He left" does not
_CACHED = 1 << 15
_CONTRACTION = re.compile(r"['’](?:ll|ve|re|d|m|t)$")
_POINTS_IN_TIME = frozenset({"date", "number", "year", "time"})

_WORTH_OF_WORD = 0.2  # against an entity that is stated as often
_LENGTH_OFFSET = 40  # characters: keeps the shortest statements from winning by their length alone


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
    called = (flat(entity.name) for entity in material.entities)
    return list(filter(None, called))[:_NAMES_IN_TITLE]


def _themes(material: ReportMaterial, word_counts: Mapping[str, int]) -> list[str]:
    """Return the words that most statements share, no name contains and few passages have.

    A bare graph only repeats its predicates.
    """
    if not material.chunks:
        return []
    left_out = material.common_words.union(*(_words(one.name) for one in material.entities))
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


def centrality_of(entities: Iterable[Entity], told: Iterable[Statement]) -> dict[str, float]:
    """Return by id how much is stated about each entity, less in statements that do not name it."""
    by_id = {entity.id: entity for entity in entities}
    centrality: dict[str, float] = {}
    for statement in told:
        text = statement.text.lower()
        for id_ in statement.entity_ids:
            share = 1.0 if id_ in by_id and _is_in(by_id[id_], text) else _UNNAMED_SHARE
            centrality[id_] = centrality.get(id_, 0.0) + share
    return centrality


def central_names(entities: Iterable[Entity], centrality: Mapping[str, float]) -> list[str]:
    """Return up to six names, the most central first, none with only words of another one.

    Points in time, numbers, fragments of speech and whole sentences are no names.
    """
    named = [e for e in entities if e.type.lower() not in _POINTS_IN_TIME and _is_name(e.name)]
    names: list[str] = []
    taken: list[set[str]] = []
    for entity in sorted(named, key=lambda entity: -centrality.get(entity.id, 0.0)):
        words = set(entity.name.lower().split())
        if not any(words <= other or other <= words for other in taken):
            names.append(flat(entity.name))
            taken.append(words)
        if len(names) == _MOST_NAMES:
            break
    return names


def named_in(statement: Statement, entities: Mapping[str, Entity]) -> Sequence[Entity]:
    """Return the entities that a statement is about and names."""
    text = statement.text.lower()
    about = (entities[id_] for id_ in dict.fromkeys(statement.entity_ids) if id_ in entities)
    return [entity for entity in about if _is_in(entity, text)]


def _is_in(entity: Entity, text: str) -> bool:
    return any(_lower(name) in text for name in (entity.name, *entity.aliases))


@lru_cache(maxsize=_CACHED)
def _lower(name: str) -> str:
    return flat(name).lower()


@lru_cache(maxsize=_CACHED)
def _words(name: str) -> frozenset[str]:
    return frozenset(content_words(name))


@lru_cache(maxsize=_CACHED)
def _is_name(name: str) -> bool:
    if len(name) > _LONGEST_NAME or is_unnamed(name):
        return False
    said = (word for word in _words(name) if not _CONTRACTION.search(word))
    return any((len(word) > 2 and not word.isdigit()) or _is_uncased(word) for word in said)


def _is_uncased(word: str) -> bool:
    """Return whether a word of two letters or more is of a script such as Chinese."""
    return len(word) > 1 and word.isalpha() and word.lower() == word.upper()


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
