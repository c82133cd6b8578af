"""Joins the senses of different names that an extractor or a model states to be one thing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from hoptrail.core.names import is_unnamed
from hoptrail.indexing.resolution.functional_facts import Facts, contradicting_years, merge_facts
from hoptrail.indexing.resolution.readings import Readings
from hoptrail.indexing.resolution.senses import Sense, Senses
from hoptrail.stores.records.graph_decisions import Decisions

Pair = tuple[Sense, Sense]
MergeReason = Literal["alias", "model"]

_UNDECIDED = Decisions()


class NameMerges:
    """Which senses are one entity, and why: an alias, or a model that confirmed it.

    An alias counts only where it is unambiguous: one sense claims it and one sense bears it as its
    name. Either way types and stated years must not contradict each other, and the pair must not
    be vetoed.

    Args:
        readings: What all places say.
        senses: The senses of their names.
        decisions: Pairs of sense labels that must stay apart, or that a model found to be one.
        within: Keys of the names that `senses` knows, None for all.
    """

    def __init__(
        self,
        readings: Readings,
        senses: Senses,
        decisions: Decisions = _UNDECIDED,
        within: Collection[str] | None = None,
    ) -> None:
        self._senses = senses
        self._vetoes = {frozenset(pair) for pair in decisions.vetoes}
        self._parent: dict[Sense, Sense] = {}
        self._members: dict[Sense, list[Sense]] = {}
        self._claims = _claims(readings, senses, within)
        self.pairs: dict[Pair, MergeReason] = {}
        for alias in sorted(self._claims):
            self._consider(alias)
        for kept, merged in decisions.confirmed:
            self._confirm(senses.labelled(kept), senses.labelled(merged))

    def root(self, sense: Sense) -> Sense:
        """Return the sense that stands for the entity of this sense."""
        while (parent := self._parent.get(sense)) is not None:
            sense = parent
        return sense

    def _consider(self, alias: str) -> None:
        claimants = {self.root(sense) for sense in self._claims[alias]}
        bearers = {self.root(sense) for sense in self._senses.all_of(alias)}
        if len(claimants) != 1 or len(bearers) != 1:
            return
        self._join(claimants.pop(), bearers.pop(), "alias")

    def _confirm(self, kept: Sense | None, merged: Sense | None) -> None:
        """Join what a model confirmed, where both are still spoken of."""
        if kept is not None and merged is not None:
            self._join(self.root(kept), self.root(merged), "model")

    def _join(self, kept: Sense, merged: Sense, reason: MergeReason) -> None:
        if kept != merged and self._may_join(kept, merged):
            self._parent[merged] = kept
            self._members[kept] = self._group(kept) + self._group(merged)
            self.pairs[kept, merged] = reason

    def _group(self, root: Sense) -> list[Sense]:
        return self._members.get(root, [root])

    def _may_join(self, one: Sense, other: Sense) -> bool:
        left, right = self._group(one), self._group(other)
        families = {self._senses.family(sense) for sense in (*left, *right)} - {""}
        if len(families) > 1 or contradicting_years(self._facts(left), self._facts(right)):
            return False
        return not any(frozenset((a.label, b.label)) in self._vetoes for a in left for b in right)

    def _facts(self, group: Iterable[Sense]) -> Mapping[str, set[str]]:
        facts: Facts = {}
        for sense in group:
            merge_facts(facts, self._senses.facts(sense))
        return facts


def _claims(
    readings: Readings, senses: Senses, within: Collection[str] | None
) -> dict[str, set[Sense]]:
    """Return which senses claim a name as their alias, by the alias's key.

    Unnamed nodes neither claim names nor are claimed.
    """
    claims: dict[str, set[Sense]] = {}
    table = readings.mentions
    for detail in readings.details:
        name, number = readings.names[int(table.name[detail.row])], int(table.key[detail.row])
        key = readings.keys[number]
        if not detail.aliases or is_unnamed(name):
            continue
        if not key or (within is not None and key not in within):
            continue
        family = readings.families[int(table.family[detail.row])]
        sense = senses.of(number, int(readings.document[table.place[detail.row]]), family)
        for alias in detail.aliases:
            alias_key = "" if is_unnamed(alias) else readings.key_of[alias]
            if alias_key and alias_key != key:
                claims.setdefault(alias_key, set()).add(sense)
    return claims
