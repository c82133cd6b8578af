"""Runs the stages of indexing over a knowledge base; every stage can be repeated or resumed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from hoptrail.core.background import run_to_end
from hoptrail.core.embedding import Embedder, RemoteEmbedder, static_of
from hoptrail.core.errors import HoptrailError, NothingIndexedError, UnknownNameError
from hoptrail.core.types import Chunk
from hoptrail.core.types.graph import Merge
from hoptrail.indexing.communities.building import note_changes, touched_communities
from hoptrail.indexing.consolidation import (
    Consolidation,
    ConsolidationForecast,
    ConsolidationGuide,
    ConsolidationReport,
)
from hoptrail.indexing.derivation import delete_documents, derive_graph
from hoptrail.indexing.embedding import (
    GRAPH_SHARE,
    EmbeddingAccount,
    EmbeddingForecast,
    embed_missing,
    forecast_embedding,
    lacking_vectors,
    without_vectors,
)
from hoptrail.indexing.extraction.stage import (
    ExtractionGuide,
    core_chunks,
    extract_chunks,
    make_guide,
    uses_model,
)
from hoptrail.indexing.file_run import FileRun
from hoptrail.indexing.forecast import Forecast, forecast_index
from hoptrail.indexing.given_graphs.ms_graphrag.communities import GivenHierarchy, store_hierarchies
from hoptrail.indexing.given_graphs.ms_graphrag.importing import import_indexes, split_inputs
from hoptrail.indexing.given_graphs.neo4j_graph import (
    graph_documents,
    import_graphs,
    split_addresses,
)
from hoptrail.indexing.loading.document_names import second_root
from hoptrail.indexing.loading.documents import Source
from hoptrail.indexing.loading.feeds.feed import Feed
from hoptrail.indexing.maintenance import Maintenance, traced_run
from hoptrail.indexing.options import ConsolidationOptions, IndexOptions
from hoptrail.indexing.report import FailedChunk, IndexReport, RunLog
from hoptrail.indexing.shards.shard_set import FinishedShard, take_in_shards
from hoptrail.indexing.storing import store_documents, store_triples
from hoptrail.indexing.syncing import (
    Synced,
    SyncedFeed,
    SyncedFolder,
    SyncPlan,
    brought_back,
    plan_sync,
    walked,
)
from hoptrail.prompts.loader import Prompts
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.records.result_tables import FailedExtraction
from hoptrail.stores.records.stored_embedders import SharedEmbeddings

_MOST_NAMED = 10  # files that a message tells the reasons of
_EMBED_GRAPH = "embed graph"
_AT_ONCE = 512  # texts that are embedded within a transaction: a matter of seconds


class _LackingVectors(Exception):
    """Undoes a transaction in which too much would have to be embedded."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__(f"{len(texts)} texts have no vector")
        self.texts = texts


class Indexer(Maintenance):
    """Indexes into one knowledge base that is open for writing, with an embedder.

    The stages are: load, chunk and store; vectors of the passages; extraction; resolution of
    entities; the remaining vectors; a new generation for the readers. Whatever a
    stage did is stored at once, so a run that was killed is resumed by running it again, and the
    same input a second time changes nothing.
    """

    @traced_run("index")
    def index(
        self,
        inputs: Sequence[Source] = (),
        options: IndexOptions | None = None,
        *,
        stdin: BinaryIO | None = None,
        shards: Sequence[FinishedShard] = (),
    ) -> IndexReport:
        """Index files, folders, "-" (`stdin`) or documents, and the triples of the options.

        A folder that holds an index of Microsoft GraphRAG is imported with its graph, communities
        and reports, and the graph of a Neo4j database, `neo4j://host/database`, with its texts.

        Without any input the documents that are already there are extracted as the options say,
        or with `retry_failed` only the chunks that failed.

        Args:
            inputs: What to index.
            options: How to index.
            stdin: What "-" reads.
            shards: What was made of the documents among the inputs already; they are not read then.

        Raises:
            NothingIndexedError: If nothing of the input could be used.
            CostLimitError: At `max_usd`; all that was paid for is stored and usable.
            ModelUnavailableError: If the model failed many times in a row; the same holds.
            ModelNotConfiguredError: If a model is needed and none is set.
        """
        chosen = options or IndexOptions()
        guide = self._guide(chosen)
        self._embedding_price(chosen.max_usd)  # an error comes before anything is stored
        log = RunLog(chosen.max_usd)
        graphs, others = split_addresses(inputs)
        folders, documents = split_inputs(others)
        files = FileRun(self._kb, chosen)
        files.names.check(folders)
        import_graphs(self._kb, graphs, chosen, log, self._progress)
        hierarchies = import_indexes(self._kb, folders, chosen.source, log, self._progress)
        imported = {doc_id.partition("/")[0] for doc_id in log.outcomes}
        self._kb.put_source_roots(files.names.roots_of(imported))
        if shards:
            take_in_shards(self._kb, shards, log, self._progress, files=files)
        else:
            store_documents(self._kb, documents, chosen, log, self._progress, stdin, files=files)
        store_triples(self._kb, chosen, log, self._progress, files=files)
        if (inputs or chosen.triples or shards) and not log.outcomes:
            raise _nothing_indexed(log)
        log.gone = files.gone(self._kb, walked(documents), log.outcomes)
        return self._finish(chosen, guide, log, hierarchies)

    def check(self, options: IndexOptions) -> None:
        """Make sure that a run with these options has what it needs; nothing is stored or sent.

        Raises:
            ModelNotConfiguredError: If a model is needed and none is set.
            SettingsError: If there is a limit of dollars and a price is not known.
        """
        self._guide(options)
        self._embedding_price(options.max_usd)

    @traced_run("sync")
    def sync(
        self,
        folder: str | Path | Feed,
        options: IndexOptions | None = None,
        *,
        allow_empty: bool = False,
        moved: bool = False,
    ) -> IndexReport:
        """Bring the documents of a folder in step with its files: add, replace, delete.

        Files that are as they were are not read. One that cannot be read keeps its documents, and
        one that was moved within the folder keeps what was read in it. Of a feed nothing is deleted
        unless it was read to its end.

        Args:
            folder: The folder, or a feed.
            options: As for `index`.
            allow_empty: Whether all its documents are deleted where it holds no readable file.
            moved: Whether it is the folder of its source, which was moved here.

        Raises:
            InputError: If the folder is missing, or empty without `allow_empty`: then nothing is
                deleted.
            SourceRootError: If its source has another root.
            NothingIndexedError: If neither it nor the base has any document of it.
            CostLimitError: At `max_usd`; all that was paid for is stored and usable.
            ModelUnavailableError: If the model failed many times in a row; the same holds.
            ModelNotConfiguredError: If a model is needed and none is set.
        """
        chosen = options or IndexOptions()
        guide = self._guide(chosen)
        self._embedding_price(chosen.max_usd)  # an error comes before anything is stored
        log = RunLog(chosen.max_usd)
        synced = _synced(folder, chosen, allow_empty=allow_empty, moved=moved)
        log.deleted = synced.store(self._kb, log, self._progress)
        if not (log.outcomes or log.deleted or allow_empty):
            raise _nothing_indexed(log)
        if not log.outcomes:  # only deletions: nothing is read on that occasion
            chosen = replace(chosen, extractor="none")
        return self._finish(chosen, guide, log)

    def plan_sync(
        self,
        folder: str | Path | Feed,
        options: IndexOptions | None = None,
        *,
        allow_empty: bool = False,
        moved: bool = False,
    ) -> SyncPlan:
        """Return what `sync` with these arguments would do and take; nothing is stored or sent."""
        chosen = options or IndexOptions()
        synced = _synced(folder, chosen, allow_empty=allow_empty, moved=moved)
        return plan_sync(
            self._kb,
            synced,
            self._guide(chosen),
            remote_embedder=self._remote_embedder,
            prices=self._settings.prices,
        )

    def forecast(
        self,
        inputs: Sequence[Source] = (),
        options: IndexOptions | None = None,
    ) -> Forecast:
        """Return what `index` with these arguments would take; nothing is stored or sent."""
        chosen = options or IndexOptions()
        graphs, others = split_addresses(inputs)
        return forecast_index(
            [*others, *graph_documents(graphs, chosen)],
            chosen,
            self._guide(chosen),
            self._kb,
            remote_embedder=self._remote_embedder,
            prices=self._settings.prices,
        )

    @traced_run("merge")
    def merge(self, other: KnowledgeBase, max_usd: float | None = None) -> IndexReport:
        """Add the documents of another base, with what was read in them; no chat model is called.

        Vectors of the same embedder are taken over.

        Raises:
            SourceRootError: If a source has another root there; then nothing is added.
            InputError: If both have a document of one id with other text; then nothing is added.
            CostLimitError: At `max_usd`, for vectors; what is added stays, and the call goes on.
        """
        self._embedding_price(max_usd)
        log = RunLog(max_usd)
        known = self._kb.source_roots()
        for name, given in other.source_roots().items():
            if name in known and known[name].root != given.root:
                raise second_root(name, known[name].root, given.root)
        with log.timed("store"):
            log.outcomes = self._kb.take_in(other)
        with log.timed("embed"):
            self._embed("embed passages", log)
        self._derive(log)
        return self._report(log)

    @traced_run("derive")
    def derive(self, max_usd: float | None = None) -> IndexReport:
        """Make graph, vectors and arrays of the documents and what was read in them; no chat model.

        Raises:
            CostLimitError: At `max_usd`, for vectors; what was made stays, and the call goes on.
        """
        self._embedding_price(max_usd)
        log = RunLog(max_usd)
        with log.timed("embed"):
            self._embed("embed passages", log)
        self._derive(log)
        return self._report(log)

    @traced_run("delete")
    def delete(self, doc_ids: Iterable[str], max_usd: float | None = None) -> IndexReport:
        """Delete documents and all that only they supported; no model is called.

        A note of the report names the folders that still hold their files: `sync` adds them again.

        Raises:
            UnknownNameError: If one of them is not there; then nothing is deleted.
            CostLimitError: At `max_usd`, for vectors of what reads otherwise; nothing is deleted.
        """
        self._embedding_price(max_usd)
        log = RunLog(max_usd)
        log.deleted = sorted(set(doc_ids))
        log.notes = brought_back(self._kb, log.deleted)
        # All or nothing, also where it is killed: readers never miss text of their generation.
        with self._kb.transaction():
            self._publish_derived(log)
        return self._report(log)

    def forecast_deletion(self, doc_ids: Iterable[str]) -> EmbeddingForecast:
        """Return what the vectors take of what reads otherwise without these documents.

        Raises:
            UnknownNameError: If one of them is not there.
        """
        if self._remote_embedder is None:
            return EmbeddingForecast()
        with self._kb.private_copy() as copy:
            delete_documents(copy, sorted(set(doc_ids)), self._progress)
            derive_graph(copy, self._progress)
            texts = list(without_vectors(self._kb, copy.texts_without_vectors()))
        return forecast_embedding(texts, self._remote_embedder, self._settings.prices)

    def undo_merges(self, merge_ids: Collection[str]) -> list[Merge]:
        """Take merges back and return them: each two are kept apart for good; calls no model.

        Raises:
            UnknownNameError: If one of them is not there; then nothing is taken back.
        """
        known = {merge.id: merge for merge in self._kb.merges()}
        for merge_id in merge_ids:
            if merge_id not in known:
                raise UnknownNameError("merge", merge_id, known)
        for merge_id in merge_ids:
            self._kb.undo_merge(merge_id)
        self._derive(RunLog())
        return [known[merge_id] for merge_id in dict.fromkeys(merge_ids)]

    @traced_run("consolidate")
    def consolidate(self, options: ConsolidationOptions | None = None) -> ConsolidationReport:
        """Bring entity types into the base's schema and merge duplicates, as a model decides.

        Raises:
            CostLimitError: At `max_usd`; what was decided is stored and holds.
            ModelUnavailableError: If the model failed many times in a row; the same holds.
            ModelNotConfiguredError: If no model is set.
            SettingsError: If `max_usd` is given and the model's price is not known.
        """
        run = self._consolidation(options)
        self._embedding_price((options or ConsolidationOptions()).max_usd)
        report = run_to_end(run.run())
        log = RunLog(limit=run.limit)
        self._derive(log)  # always: a run that was killed has decided without deriving
        if run.stopped_by is not None:
            raise run.stopped_by
        embedded = log.usage.by_node.get("embed")
        return (
            report
            if embedded is None
            else replace(report, usage=report.usage.add("embed", embedded))
        )

    def forecast_consolidation(
        self, options: ConsolidationOptions | None = None
    ) -> ConsolidationForecast:
        """Return what `consolidate` would take; no model is called."""
        run = self._consolidation(options)
        return run.forecast(self._remote_embedder, self._settings.prices)

    @traced_run("reembed")
    def reembed(self, embedder: Embedder, max_usd: float | None = None) -> IndexReport:
        """Give everything vectors of another embedder; readers keep the old ones until it is done.

        Extraction is not repeated. With the embedder that the base has, what a static model
        embedded gets vectors of the present one where that is another, or of the embedder itself
        where the settings want these.

        Raises:
            CostLimitError: At `max_usd`; the vectors so far are stored.
            SettingsError: If `max_usd` is given and the embedder's price is not known.
        """
        self._embedding_price(max_usd, embedder)
        log = RunLog(max_usd)
        self._kb.change_embedder(embedder)
        with log.timed("embed"):
            self._embed("embed", log)
            static, made_by = static_of(embedder), self._kb.static_model
            if made_by is not None and (static is None or static.name != made_by):
                self._kb.make_static_vectors_anew()
        self._derive(log)
        return self._report(log)

    def forecast_reembedding(self, embedder: str | None) -> EmbeddingForecast:
        """Return what `reembed` with the remote embedder of this name would take; sends nothing."""
        if embedder is None:
            return EmbeddingForecast()
        texts = self._kb.texts_without_vectors_of(embedder)
        return forecast_embedding(texts, embedder, self._settings.prices)

    def _consolidation(self, options: ConsolidationOptions | None) -> Consolidation:
        chosen = options or ConsolidationOptions()
        model = self._models.for_role("extractor")
        price = self._price(model, chosen.max_usd)
        guide = ConsolidationGuide(model, chosen, price, Prompts(self._settings.prompts_dir))
        return Consolidation(self._kb, guide, self._progress)

    def _guide(self, options: IndexOptions) -> ExtractionGuide | None:
        if not uses_model(options, self._models):
            return None
        return make_guide(self._models, options, self._settings)

    def _finish(
        self,
        options: IndexOptions,
        guide: ExtractionGuide | None,
        log: RunLog,
        hierarchies: Sequence[GivenHierarchy] = (),
    ) -> IndexReport:
        """Read the documents of the run, derive the graph, publish it, and report.

        Raises:
            CostLimitError: Or what else stopped the extraction, after all is published.
        """
        stopped_by = self._extract(options, guide, log)
        self._derive(log, options.embeddings, hierarchies)
        self._keep_schema(options)
        if stopped_by is not None:
            raise stopped_by
        return self._report(log)

    def _extract(
        self, options: IndexOptions, guide: ExtractionGuide | None, log: RunLog
    ) -> HoptrailError | None:
        with log.timed("embed"):
            self._embed("embed passages", log, options.embeddings)
        if options.extractor == "none":
            return None
        in_run = list(self._kb.iter_chunks(log.outcomes or None))
        with log.timed("extract"):
            chosen = self._for_model(in_run, options.beta) if guide else set[str]()
        if options.retry_failed:
            failed = {failure.chunk_id or "" for failure in self._kb.failed_extractions()}
            chosen |= failed
            in_run = [chunk for chunk in in_run if log.outcomes or chunk.id in failed]
        left = self._price_of_graph(in_run)  # vectors of what is extracted must be affordable too
        with log.timed("extract"), log.limit.reserved(left):
            return extract_chunks(self._kb, in_run, chosen, guide, log, self._progress)

    def _for_model(self, in_run: Sequence[Chunk], beta: float) -> set[str]:
        """Return the ids of the chunks that the model may read: central ones of the whole base."""
        compared = in_run if beta in (0, 1) else list(self._kb.iter_chunks())
        return core_chunks(self._kb, compared, beta)

    def _embed(
        self,
        stage: str,
        log: RunLog,
        embeddings: Path | None = None,
        texts: Sequence[str] | None = None,
    ) -> None:
        embedder = self._kb.embedder
        if embeddings is not None:
            embedder = SharedEmbeddings(embedder, embeddings)
        account = EmbeddingAccount(self._embedding_price(), log.limit)
        try:
            embed_missing(self._kb, embedder, self._progress, stage, texts, account=account)
        finally:
            log.book_embedding(account)

    def _price_of_graph(self, chunks: Sequence[Chunk]) -> float:
        """Return about what the vectors of the graph of these chunks cost, in dollars."""
        price = self._embedding_price()
        tokens = sum(chunk.tokens for chunk in chunks)
        return price.usd(round(GRAPH_SHARE * tokens)) if price else 0.0

    def _derive(
        self,
        log: RunLog,
        embeddings: Path | None = None,
        hierarchies: Sequence[GivenHierarchy] = (),
    ) -> None:
        """Resolve all mentions to the graph, embed what is new, and publish.

        Readers look the items of the published generation up in the tables of the graph, so these
        change only in the transaction that publishes the next one. Where many vectors are lacking,
        they are stored before it, for what the graph is going to be.
        """
        if self._kb.newest_generation == 0:  # no readers yet: what is done is stored at once
            self._delete(log)
            self._derive_tables(log, hierarchies)
            with log.timed("embed"):
                self._embed(_EMBED_GRAPH, log, embeddings)
            self._publish(log)
            return
        # No transaction waits for a server.
        at_once = 0 if isinstance(self._kb.embedder, RemoteEmbedder) else _AT_ONCE
        try:
            with self._kb.transaction():
                self._publish_derived(log, embeddings, hierarchies, most_texts=at_once)
        except _LackingVectors as lacking:
            with log.timed("embed"):
                self._embed(_EMBED_GRAPH, log, embeddings, lacking.texts)
            with self._kb.transaction():
                self._publish_derived(log, embeddings, hierarchies)

    def _publish_derived(
        self,
        log: RunLog,
        embeddings: Path | None = None,
        hierarchies: Sequence[GivenHierarchy] = (),
        *,
        most_texts: int | None = None,
    ) -> None:
        """Do all of it within the caller's transaction.

        Raises:
            _LackingVectors: If more texts than `most_texts` have to be embedded.
        """
        self._delete(log)
        self._derive_tables(log, hierarchies)
        with log.timed("embed"):
            lacking = lacking_vectors(self._kb, self._kb.embedder)
            if most_texts is not None and len(lacking) > most_texts:
                raise _LackingVectors(lacking)
            self._embed(_EMBED_GRAPH, log, embeddings, lacking)
        self._publish(log)

    def _delete(self, log: RunLog) -> None:
        if log.deleted:
            with log.timed("store"):
                delete_documents(self._kb, log.deleted, self._progress)

    def _derive_tables(self, log: RunLog, hierarchies: Sequence[GivenHierarchy]) -> None:
        with log.timed("store"):
            derive_graph(self._kb, self._progress)
            store_hierarchies(self._kb, hierarchies)

    def _publish(self, log: RunLog) -> None:
        with log.timed("store"):
            touched = touched_communities(self._kb)
            self._publish_generation()
            note_changes(self._kb, touched)

    def _keep_schema(self, options: IndexOptions) -> None:
        """Keep the entity types and the description that the run was given."""
        if options.entity_types:
            known = self._kb.schema()
            self._kb.put_schema({name: known.get(name, "") for name in options.entity_types})
        if options.graph_description:
            self._kb.put_description(options.graph_description)

    def _report(self, log: RunLog) -> IndexReport:
        counts = self._kb.counts()
        failures = self._kb.failed_extractions()
        return IndexReport(
            documents=log.counts({failure.doc_id for failure in failures}),
            chunks=counts["chunks"],
            entities=counts["entities"],
            relations=counts["relations"],
            read=log.read,
            skipped=tuple(log.skipped),
            failed=self._failed_chunks(failures),
            usage=log.usage,
            seconds=log.seconds,
            resumable=bool(failures),
            imported=tuple(log.imported),
            notes=tuple(log.notes),
            deleted=tuple(log.deleted),
            gone=tuple(log.gone),
            moved=log.moved(),
            duplicates=log.duplicates(),
        )

    def _failed_chunks(self, failures: Sequence[FailedExtraction]) -> tuple[FailedChunk, ...]:
        doc_ids = {failure.doc_id for failure in failures}
        chunks = self._kb.iter_chunks(doc_ids) if doc_ids else ()
        places = {chunk.id: chunk.place for chunk in chunks}
        return tuple(
            FailedChunk(
                failure.chunk_id or failure.doc_id,
                failure.error,
                failure.doc_id,
                places.get(failure.chunk_id or ""),
            )
            for failure in failures
        )


def _synced(
    folder: str | Path | Feed, options: IndexOptions, *, allow_empty: bool, moved: bool
) -> Synced:
    if isinstance(folder, Feed):
        return SyncedFeed(folder, options, allow_empty=allow_empty, moved=moved)
    return SyncedFolder(folder, options, allow_empty=allow_empty, moved=moved)


def _nothing_indexed(log: RunLog) -> NothingIndexedError:
    shown = log.skipped[:_MOST_NAMED]
    reasons = [f"{skipped.path}: {skipped.reason.rstrip('.')}" for skipped in shown]
    rest = len(log.skipped) - len(shown)
    more = f" (and {rest} more)" if rest else ""
    told = "; ".join(reasons) or "no input"
    return NothingIndexedError(
        f"nothing could be indexed: {told}{more}",
        hint="check the paths and the file formats",
        reasons={skipped.path: skipped.reason for skipped in log.skipped},
    )
