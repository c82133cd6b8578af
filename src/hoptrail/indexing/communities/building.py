"""Finds the communities of a knowledge base, tells which do not hold, and has all reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

import numpy as np

from hoptrail.agents.community_reports.model_reporter import reporter_key
from hoptrail.core.algorithms.cluster_tree import ClusterTree
from hoptrail.core.algorithms.division import Hierarchy
from hoptrail.core.embedding import IntArray
from hoptrail.core.progress import NoProgress
from hoptrail.core.settings import Price
from hoptrail.core.types import Community, NodeUsage
from hoptrail.indexing.communities.clustering import (
    MAX_SIZE,
    Contents,
    Partition,
    cluster,
    contents_of,
    entity_graph,
    recorded,
)
from hoptrail.indexing.communities.materials import LevelMaterials
from hoptrail.indexing.communities.reporting import (
    EXTRACTIVE,
    ReportGuide,
    ReportStage,
    estimate_call,
    relations_for_prompt,
    reports_by_parent,
    settled_keys,
)
from hoptrail.indexing.derivation import derive_graph
from hoptrail.indexing.embedding import (
    EmbeddingAccount,
    EmbeddingForecast,
    embed_missing,
    forecast_embedding,
    without_vectors,
)
from hoptrail.indexing.maintenance import Maintenance, traced_run
from hoptrail.indexing.options import CommunityOptions
from hoptrail.indexing.report import (
    CommunitiesReport,
    CommunityForecast,
    CommunitySeconds,
    StageClock,
)
from hoptrail.indexing.spending import SpendingLimit
from hoptrail.prompts.loader import Prompts
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.community_table import ClusteringRecord

REPORT_VECTOR_TOKENS = 120
"""Tokens of what is embedded of a report, about: its title and summary."""


class CommunityBuilder(Maintenance):
    """Builds the communities of one knowledge base that is open for writing, with an embedder.

    The stages are: clustering, reports from the finest level to the coarsest, their vectors, a new
    generation for the readers. Whatever a stage did is stored at once, so a run that was killed is
    resumed by running it again, and a run over an unchanged graph changes nothing.

    Source: Edge et al., "From local to global: a GraphRAG approach to query-focused
    summarization", 2024, section 3, hierarchical communities and their summaries.
    """

    @traced_run("communities")
    def build(self, options: CommunityOptions | None = None) -> CommunitiesReport:
        """Cluster the graph where it changed, write the missing reports, and publish them.

        Raises:
            CostLimitError: At `max_usd`; all that was paid for is stored, and reports without a
                model stand in for the others.
            ModelUnavailableError: If the model failed many times in a row; the same holds.
            SettingsError: If `max_usd` is given and the model's price is not known.
        """
        chosen = options or CommunityOptions()
        guide = self._guide(chosen)
        clock = StageClock()
        limit = SpendingLimit(chosen.max_usd)
        account = EmbeddingAccount(self._embedding_price(chosen.max_usd), limit)
        self._finish_indexing(clock, account)
        with clock.timed("cluster"):
            cluster(self._kb, rebuild=chosen.rebuild, seed=chosen.seed, progress=self._progress)
            if chosen.rebuild:
                self._kb.prune_reports(EXTRACTIVE)  # they cost nothing: the rules may have changed
        with clock.timed("report"):
            stage = ReportStage(self._kb, guide, self._progress, limit)
            with limit.reserved(self._price_of_vectors(account)):
                levels = stage.run()
        self._publish("embed reports", clock, account)
        if stage.stopped_by is not None:
            raise stage.stopped_by
        return CommunitiesReport(
            levels=levels,
            failed=stage.failed,
            usage=account.added_to(stage.usage),
            seconds=CommunitySeconds(**clock.seconds),
            resumable=bool(stage.failed),
        )

    def forecast(self, options: CommunityOptions | None = None) -> CommunityForecast:
        """Return what `build` would take; nothing is changed and no model is called.

        The base may be open for reading only, and another process may write to it meanwhile.
        """
        chosen = options or CommunityOptions()
        guide = self._guide(chosen)
        with self._kb.private_copy() as kb:
            if not kb.is_published:
                derive_graph(kb, self._progress)
                kb.publish()
            cluster(kb, rebuild=chosen.rebuild, seed=chosen.seed, progress=self._progress)
            return forecast_reports(
                kb,
                guide,
                original=self._kb,
                remote_embedder=self._remote_embedder,
                prices=self._settings.prices,
            )

    def _price_of_vectors(self, account: EmbeddingAccount) -> float:
        """Return about what the vectors of all reports cost, in dollars."""
        if account.price is None:
            return 0.0
        number = sum(level.communities for level in self._kb.community_levels())
        return account.price.usd(number * REPORT_VECTOR_TOKENS)

    def _finish_indexing(self, clock: StageClock, account: EmbeddingAccount) -> None:
        """Publish what a run of `index` stored before it was killed: clusters are of its rows."""
        if not self._kb.is_published:
            with self._kb.transaction():
                derive_graph(self._kb, self._progress)
                self._publish("embed graph", clock, account)

    def _publish(self, stage: str, clock: StageClock, account: EmbeddingAccount) -> None:
        with clock.timed("embed"):
            embed_missing(self._kb, self._kb.embedder, self._progress, stage, account=account)
        with clock.timed("store"):
            self._publish_generation()

    def _guide(self, options: CommunityOptions) -> ReportGuide | None:
        if options.extractive or self._models.name_of("reporter") is None:
            return None
        model = self._models.for_role("reporter")
        price = self._price(model, options.max_usd)
        prompts = Prompts(self._settings.prompts_dir)
        key = reporter_key(model.name, options.material_tokens, prompts)
        return ReportGuide(model, key, options, price, prompts)


def forecast_reports(
    kb: KnowledgeBase,
    guide: ReportGuide | None,
    *,
    original: KnowledgeBase,
    remote_embedder: str | None,
    prices: Mapping[str, Price],
) -> CommunityForecast:
    """Return what the missing reports of the present hierarchy, and their vectors, would take.

    It writes reports without a model, which stand for those that do not exist yet in the prompts
    of the levels above, and among the texts that get vectors: give it a `private_copy`.

    Args:
        kb: The copy, clustered.
        guide: The model and how it is asked; None to write without one.
        original: The base, which has the vectors that the copy lacks.
        remote_embedder: Name of the embedder where it is one that is called.
        prices: Those of the settings.
    """
    settled = settled_keys(kb, guide)
    if guide is not None or remote_embedder is not None:
        ReportStage(kb, None, NoProgress()).run()
    spent, rewritten = NodeUsage(), list[str]()
    for community, usage in () if guide is None else _asked(kb, guide, settled):
        spent += usage
        rewritten.append(f"{community.title}\n{community.summary}")
    embedding = EmbeddingForecast()
    if remote_embedder is not None:
        texts = chain(without_vectors(original, kb.texts_without_vectors()), rewritten)
        embedding = forecast_embedding(texts, remote_embedder, prices)
    is_priced = guide is None or guide.price is not None or spent.llm_calls == 0
    usd = spent.usd + embedding.usd if is_priced and embedding.usd is not None else None
    seconds = 0.0
    if guide is not None:
        seconds = guide.model.calling_seconds(spent, guide.options.concurrency)
    return CommunityForecast(
        communities=sum(level.communities for level in kb.community_levels()),
        calls=spent.llm_calls,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        usd=None if usd is None else round(usd, 8),
        minutes=round(seconds / 60, 2),
        embedding=embedding,
    )


def _asked(
    kb: KnowledgeBase, guide: ReportGuide, settled: set[str]
) -> Iterator[tuple[Community, NodeUsage]]:
    """Yield the communities that the model is asked about, with about what each call takes."""
    keys, index = kb.community_keys(), kb.unpublished_community_index()
    most = relations_for_prompt(guide.options)
    for level in kb.community_levels():
        materials = LevelMaterials(kb, index, level.level, most_relations=most)
        reports = reports_by_parent(kb.communities(level.level + 1))
        pending = [c for c in kb.communities(level.level) if keys[c.id] not in settled]
        asked = [c for c in pending if materials.relation_count(c)]
        for material in materials.of(asked, reports):
            if material.tells_something:
                yield material.community, estimate_call(material, guide)


_SEED = 42
_COMPARED = 50_000  # relations of a graph whose communities are not all compared any more
_KEPT_LEAST = 1  # what was made elsewhere keeps its small communities


def touched_communities(kb: KnowledgeBase) -> set[str] | None:
    """Return the communities that what is going to be published changes, by the list of it.

    None where that is to be found out by comparing all, such as in a small graph, where it takes
    no time. What is put back as it was still counts as changed until communities are made again.
    """
    change = kb.listed_change()
    if change is None:
        return None
    graph = kb.index
    if len(graph.relation_ids) < _COMPARED or kb.clustering() is None:
        return None
    relations = graph.relation_rows(change.relations)
    relations = relations[relations >= 0]
    ends = kb.relation_ends(change.relations).union(change.entities)
    entities = graph.entity_rows(sorted(ends))
    rows = (entities[entities >= 0], graph.relation_source[relations])
    touched = np.concatenate((*rows, graph.relation_target[relations]))
    return _with_those_above(kb, touched)


def note_changes(kb: KnowledgeBase, touched: set[str] | None = None) -> None:
    """Mark the communities whose members or relations the published graph has changed.

    Those that a new entity has relations with are marked too, as it may join them. A graph that is
    again as it was makes nothing stale. A hierarchy that was imported is taken as that of the graph
    it came with, so that later changes are told, and clustered, from there.

    Args:
        kb: The base.
        touched: What `touched_communities` returned before that was published.
    """
    if touched is not None:
        if kb.communities_stale:
            kb.mark_communities(sorted(touched), stale=True, further=True)
        return
    if len(kb.community_index.ids) == 0:
        return
    record = kb.clustering()
    if record is None:
        _adopt(kb)
    elif kb.communities_stale:
        contents = _contents(kb)
        keys = kb.community_keys()
        changed = {id_ for id_, key in zip(keys, contents.keys, strict=True) if keys[id_] != key}
        changed |= _reached(kb, record)
        kb.mark_communities(sorted(changed), stale=record.content != contents.whole)


def _contents(kb: KnowledgeBase) -> Contents:
    index = kb.community_index
    return contents_of(kb, Hierarchy(index.level, index.parent, index.of_entity))


def _reached(kb: KnowledgeBase, record: ClusteringRecord) -> set[str]:
    """Return the communities that relations join with entities that are not in the record."""
    graph = kb.index
    is_new = np.ones(len(graph.entity_ids), dtype=np.bool_)
    rows = graph.entity_rows(record.entity_ids)
    is_new[rows[rows >= 0]] = False
    source, target = graph.relation_source, graph.relation_target
    return _with_those_above(kb, np.concatenate((target[is_new[source]], source[is_new[target]])))


def _with_those_above(kb: KnowledgeBase, entities: IntArray) -> set[str]:
    """Return the communities that hold any of these rows of entities."""
    index = kb.community_index
    reached: set[int] = set()
    pending = set(index.of_entity[entities].tolist())
    while pending := pending - reached - {-1}:
        reached |= pending
        pending = set(index.parent[sorted(pending)].tolist())
    return set(index.ids[sorted(reached)].tolist())


def _adopt(kb: KnowledgeBase) -> None:
    index = kb.community_index
    contents = _contents(kb)
    graph = entity_graph(kb.index)
    tree = _with_leaves(ClusterTree(index.parent, index.of_entity))
    whole_up_to = np.zeros(len(tree.parent), dtype=np.int32)
    is_leaf = ~np.isin(np.arange(len(tree.parent)), tree.parent)
    whole_up_to[is_leaf] = np.maximum(tree.sizes()[is_leaf], MAX_SIZE)
    partition = Partition(tree, whole_up_to, graph.degrees.astype(np.float32), _KEPT_LEAST)
    record = recorded(partition, kb.index.entity_ids, contents.whole, _SEED, None)
    kb.adopt_communities(dict(zip(index.ids.tolist(), contents.keys, strict=True)), record)


def _with_leaves(tree: ClusterTree) -> ClusterTree:
    """Return the tree with the members that only a divided cluster has in a part of their own."""
    loose = np.isin(tree.cluster_of, tree.parent) & (tree.cluster_of >= 0)
    above, place = np.unique(tree.cluster_of[loose], return_inverse=True)
    cluster_of = tree.cluster_of.copy()
    cluster_of[loose] = len(tree.parent) + place
    return ClusterTree(np.concatenate((tree.parent, above)), cluster_of)
