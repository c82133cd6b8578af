"""Tidies an extracted graph with a model: types are brought into the schema, duplicates merged."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from hoptrail.agents.consolidation import (
    TypeInUse,
    judge_merges,
    label_prompt,
    label_types,
    merge_prompt,
)
from hoptrail.core.budget import Meter
from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import HoptrailError, ModelReplyError, ModelUnavailableError
from hoptrail.core.progress import Progress
from hoptrail.core.settings import Price
from hoptrail.core.text import name_key
from hoptrail.core.types import Entity, NodeUsage, Record, Usage
from hoptrail.indexing.embedding import EmbeddingForecast, forecast_embedding
from hoptrail.indexing.given_graphs.ms_graphrag.graph import without_imported
from hoptrail.indexing.options import ConsolidationOptions
from hoptrail.indexing.resolution.entity_resolution import resolve
from hoptrail.indexing.resolution.readings import Mention, type_family
from hoptrail.indexing.spending import PaidCalls, SpendingLimit, estimate_usage
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.loader import SHIPPED, Prompts
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.graph_decisions import LabelPair
from hoptrail.stores.records.stored_values import entity_text

_TYPES_PER_CALL = 40
_GROUPS_PER_CALL = 10
_COMPLETION_PER_ITEM = 8
_EXAMPLES = 3
_MOST_IN_GROUP = 8
_NEVER_ALIKE = frozenset({"time", "number"})  # 1976 is near 1977 and never the same
_ROWS_AT_ONCE = 512

Group = list[Entity]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ConsolidationGuide:
    """The model of the run, its price where that is known, and how it is asked."""

    model: RoleModel
    options: ConsolidationOptions
    price: Price | None = None
    prompts: Prompts = SHIPPED


class Consolidation:
    """One run over a knowledge base whose graph is derived and embedded.

    Types are relabelled where a schema is given or was. What the model decides is stored call by
    call and holds whenever the graph is derived anew. An entity that it was asked about is shown
    again only beside one that is new.

    Source: Moore et al., "DotRAG: retrieval-time reasoning along paths", preparation of extracted
    graphs.

    Args:
        kb: The knowledge base.
        guide: The model and how it is asked.
        progress: Observer.

    Attributes:
        limit: What the run may spend.
        stopped_by: The error that ended the calls before all were made, None where none did.
    """

    def __init__(self, kb: KnowledgeBase, guide: ConsolidationGuide, progress: Progress) -> None:
        self._kb = kb
        self._guide = guide
        self._progress = progress
        self._schema = _schema_for(kb, guide.options.entity_types)
        self._types = _types_to_label(kb, self._schema)
        self._labels, self._groups = _look_alikes(kb, guide.options.similarity)
        self._verdicts: dict[LabelPair, bool] = {}
        self._labelled = 0
        self._failed = 0
        self._usage = Usage()
        self.limit = SpendingLimit(guide.options.max_usd)
        self.stopped_by: HoptrailError | None = None

    def forecast(
        self, remote_embedder: str | None = None, prices: Mapping[str, Price] | None = None
    ) -> ConsolidationForecast:
        """Return what `run` would take; no model is called.

        Args:
            remote_embedder: Name of the embedder where it is one that is called.
            prices: Those of the settings.
        """
        spent = NodeUsage()
        for types in _batches(self._types, _TYPES_PER_CALL):
            spent += self._estimate_labelling(types)
        for groups in self._group_batches():
            spent += self._estimate_judging(groups)
        is_priced = self._guide.price is not None or spent.llm_calls == 0
        embedding = EmbeddingForecast()
        if remote_embedder is not None:
            asked = (entity for group in self._groups for entity in group)
            texts = (entity_text(entity.name, entity.description) for entity in asked)
            embedding = forecast_embedding(texts, remote_embedder, prices or {})
        usd = spent.usd + embedding.usd if is_priced and embedding.usd is not None else None
        return ConsolidationForecast(
            types=len(self._types),
            entities=sum(map(len, self._groups)),
            calls=spent.llm_calls,
            prompt_tokens=spent.prompt_tokens,
            completion_tokens=spent.completion_tokens,
            usd=None if usd is None else round(usd, 8),
            embedding=embedding,
        )

    async def run(self) -> ConsolidationReport:
        """Ask about types, then about look-alikes, and store what comes back."""
        if self._guide.options.entity_types:
            self._kb.put_schema(self._schema)
        self._kb.put_type_labels({name_key(name): name for name in self._schema})
        types, groups = _batches(self._types, _TYPES_PER_CALL), self._group_batches()
        await self._ask("label types", types, self._label, self._estimate_labelling)
        if self.stopped_by is None:
            await self._ask("judge merges", groups, self._judge, self._estimate_judging)
        merged = sum(self._verdicts.values())
        return ConsolidationReport(
            merged=merged,
            apart=len(self._verdicts) - merged,
            labelled=self._labelled,
            unlabelled=len(self._types) - self._labelled,
            failed=self._failed,
            usage=self._usage,
        )

    async def _ask(
        self,
        stage: str,
        batches: Sequence[Sequence[T]],
        work: Callable[[Sequence[T], Meter], Coroutine[Any, Any, None]],
        estimate: Callable[[Sequence[T]], NodeUsage],
    ) -> None:
        """Give the items to the model batch by batch; what fails for one batch costs only that."""

        async def one(batch: Sequence[T]) -> float:
            meter, begin = Meter("consolidate"), perf_counter()
            try:
                await work(batch, meter)
            except ModelReplyError:
                self._failed += 1
            except ModelUnavailableError:
                self._failed += 1
                raise
            finally:
                spent = meter.spent(perf_counter() - begin)
                self._usage = self._usage.add("consolidate", spent)
            return spent.usd

        calls = PaidCalls[Sequence[T]](
            stage,
            one,
            estimate=lambda batch: estimate(batch).usd,
            concurrency=self._guide.options.concurrency,
            limit=self.limit,
            progress=self._progress,
        )
        await calls.run(batches)
        self.stopped_by = calls.stopped_by

    def _group_batches(self) -> list[Sequence[Group]]:
        return _batches(self._groups, _GROUPS_PER_CALL)

    async def _label(self, types: Sequence[TypeInUse], meter: Meter) -> None:
        labels = await label_types(
            types, self._schema, self._guide.model, meter, prompts=self._guide.prompts
        )
        self._kb.put_type_labels({name_key(name): label for name, label in labels.items()})
        self._labelled += len(labels)

    async def _judge(self, groups: Sequence[Group], meter: Meter) -> None:
        found = await judge_merges(groups, self._guide.model, meter, prompts=self._guide.prompts)
        verdicts: dict[LabelPair, bool] = {}
        for group, sets in zip(groups, found, strict=True):
            verdicts |= _verdicts(group, sets, self._labels)
        self._kb.put_verdicts(verdicts)
        self._verdicts |= verdicts

    def _estimate_labelling(self, types: Sequence[TypeInUse]) -> NodeUsage:
        prompt = label_prompt(types, self._schema, self._guide.prompts)
        return estimate_usage(prompt, _COMPLETION_PER_ITEM * len(types), self._guide.price)

    def _estimate_judging(self, groups: Sequence[Group]) -> NodeUsage:
        prompt = merge_prompt(groups, self._guide.prompts)
        entities = sum(map(len, groups))
        return estimate_usage(prompt, _COMPLETION_PER_ITEM * entities, self._guide.price)


def _schema_for(kb: KnowledgeBase, entity_types: Sequence[str]) -> dict[str, str]:
    """Return the schema that types are brought into; none leaves them alone."""
    if not entity_types:
        return kb.edited_schema()
    known = kb.schema()
    spelled: dict[str, str] = {}
    for name in entity_types:
        spelled.setdefault(name_key(name), " ".join(name.split()))
    return {name: known.get(name, "") for name in spelled.values()}


def _types_to_label(kb: KnowledgeBase, schema: Mapping[str, str]) -> list[TypeInUse]:
    labels = kb.decisions(schema).type_labels
    return _types_outside(without_imported(kb.mentions()), schema, labels) if schema else []


def _look_alikes(
    kb: KnowledgeBase, similarity: float
) -> tuple[Mapping[str, str], list[list[Entity]]]:
    """Return the label of each entity by id, and the groups that hold one not asked about yet."""
    decisions = kb.decisions()
    resolution = resolve(without_imported(kb.mentions()), decisions)
    labels = resolution.labels
    judged = kb.judged_labels()
    vetoes = {frozenset(pair) for pair in decisions.vetoes}
    texts = [entity_text(entity.name, entity.description) for entity in resolution.entities]

    def may_join(one: Entity, other: Entity) -> bool:
        pair = frozenset((labels[one.id], labels[other.id]))
        return pair not in vetoes and not pair <= judged

    vectors = kb.embeddings(texts)
    groups: list[list[Entity]] = []
    # Whoever looks like one that another group took meets it in a further round.
    while found := group_look_alikes(resolution.entities, vectors, may_join, similarity):
        groups += found
        judged.update(labels[entity.id] for group in found for entity in group)
    return labels, groups


def _verdicts(
    group: Group, sets: Sequence[Sequence[Entity]], labels: Mapping[str, str]
) -> dict[LabelPair, bool]:
    """Return whether the leader of a group is each of the others, and what else is one thing."""
    verdicts = {(labels[group[0].id], labels[other.id]): False for other in group[1:]}
    for one in sets:
        first, *others = one
        verdicts |= {(labels[first.id], labels[other.id]): True for other in others}
    return verdicts


def _batches(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _types_outside(
    mentions: Iterable[Mention], schema: Mapping[str, str], labels: Mapping[str, str]
) -> list[TypeInUse]:
    """Return the types that are neither in the schema nor labelled yet, by name key.

    Args:
        mentions: Everything that was read.
        schema: Definition of each allowed type.
        labels: Types in use that have a label already, by name key.
    """
    allowed = {name_key(name) for name in schema}
    examples: dict[str, dict[str, None]] = {}
    spelling: dict[str, str] = {}
    for _, _, _, extraction in mentions:
        for entity in extraction.entities:
            key = name_key(entity.type)
            if not key or key in allowed or key in labels:
                continue
            spelling[key] = min(spelling.get(key, entity.type), entity.type)
            known = examples.setdefault(key, {})
            if len(known) < _EXAMPLES:
                known.setdefault(entity.name)
    return [TypeInUse(spelling[key], tuple(examples[key])) for key in sorted(examples)]


@dataclass(frozen=True, slots=True)
class ConsolidationReport(Record):
    """The decisions of a run.

    Attributes:
        merged: Pairs of entities found to be one.
        apart: Pairs found to be two.
        labelled: Type names brought into the schema.
        unlabelled: Type names that the model gave no type of the schema.
        failed: Calls without a usable reply; the same command asks them again.
        usage: What it took.
    """

    merged: int = 0
    apart: int = 0
    labelled: int = 0
    unlabelled: int = 0
    failed: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class ConsolidationForecast(Record):
    """An estimate of a run; `usd` is None where the price of a model or embedder is not known.

    `embedding` is at most what the vectors of the entities take that the model is asked about.
    """

    types: int
    entities: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    embedding: EmbeddingForecast = field(default_factory=EmbeddingForecast)


def group_look_alikes(
    entities: Sequence[Entity],
    vectors: FloatArray,
    may_join: Callable[[Entity, Entity], bool],
    similarity: float,
) -> list[list[Entity]]:
    """Return disjoint groups that may be one thing, each led by its best attested entity.

    Greedy: the entity with most passages takes the nearest entities that are free and near enough,
    then the next one does. Types of different families are never grouped, nor dates and numbers.

    Args:
        entities: All of them.
        vectors: Their unit vectors, shape (n, dim); a row of zeros is near to nothing.
        may_join: Whether a pair of leader and other still is to be considered.
        similarity: Least cosine to the leader.
    """
    families = [type_family(entity.type) for entity in entities]
    order = sorted(
        (place for place, family in enumerate(families) if family not in _NEVER_ALIKE),
        key=lambda place: (-len(entities[place].chunk_ids), entities[place].id),
    )
    is_free = np.zeros(len(entities), dtype=bool)
    is_free[order] = True
    groups: list[list[Entity]] = []
    for start in range(0, len(order), _ROWS_AT_ONCE):
        leaders = order[start : start + _ROWS_AT_ONCE]
        cosines = np.round(vectors[leaders] @ vectors.T, 5)
        for leader, row in zip(leaders, cosines, strict=True):
            if not is_free[leader]:
                continue
            is_free[leader] = False
            near = np.flatnonzero((row >= similarity) & is_free)
            others = (
                place
                for place in near[np.argsort(-row[near], kind="stable")].tolist()
                if _agree(families[leader], families[place])
                and may_join(entities[leader], entities[place])
            )
            group = list(islice(others, _MOST_IN_GROUP - 1))
            if group:
                is_free[group] = False
                groups.append([entities[leader], *(entities[place] for place in group)])
    return groups


def _agree(one: str, other: str) -> bool:
    return one == other or not one or not other
