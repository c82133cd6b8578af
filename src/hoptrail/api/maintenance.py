"""Changes to a knowledge base: documents, its graph, its communities, its copies on servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoptrail.api.index_options import with_choices
from hoptrail.api.reader_feedback import ReaderFeedback
from hoptrail.core.embedding import Embedder, RemoteEmbedder
from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.types import Answer, JsonDict
from hoptrail.core.types.graph import Merge
from hoptrail.indexing.options import CommunityOptions, ConsolidationOptions, IndexOptions
from hoptrail.models.embedder import as_embedder, is_remote
from hoptrail.services.serving_stores import StoreReport
from hoptrail.stores.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from hoptrail.indexing.communities.building import CommunityBuilder
    from hoptrail.indexing.loading.documents import Source
    from hoptrail.indexing.loading.feeds.feed import Feed

    Inputs = Sequence[Any] | Any
    from hoptrail.indexing.pipeline import Indexer
    from hoptrail.indexing.spreading.shard_run import ShardTask
    from hoptrail.indexing.spreading.spread_run import Crew


class Maintenance(ReaderFeedback):
    """The methods of `Hoptrail` that change a knowledge base, and those that forecast it."""

    def index(
        self,
        paths: Inputs = (),
        *,
        options: IndexOptions | None = None,
        model: str | None = None,
        progress: Progress | None = None,
        workers: int | None = None,
        ray: str | None = None,
        gpus_per_worker: float = 0.0,
        into: str | Path | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Index documents and triples.

        A run that was stopped is continued by the same call, and pays for nothing twice.

        With `workers` or `ray` the documents are divided into shards, which many processes read and
        which this one merges; what comes of it is the same. These open the embedder by its name.
        A program that does so has its own work under `if __name__ == "__main__"`.

        Args:
            paths: Files, folders, addresses, documents, loaders of LangChain, readers of
                LlamaIndex, crawls, or sources of the settings by name; one, or a list of them.
            options: How to index; `choices` change single fields of it.
            model: Chat model that extracts, `provider:name`; else that of the settings.
            progress: Observer of the stages.
            workers: Processes of this machine that read the documents; None: this one alone. With
                `ray`, shards at the same time at most; None: as many as the cluster has room for.
            ray: Address of a Ray cluster that reads them: `HOST:PORT`, `auto` or `local`.
            gpus_per_worker: GPUs, or the part of one, that Ray gives to each process.
            into: Folder of the shards until they are merged; by default within the knowledge base.
                All machines of a cluster must reach it, and the files.
            **choices: Fields of `hoptrail.indexing.options.IndexOptions`: source, extractor,
                triples, beta, concurrency, max_usd, retry_failed and more.

        Returns:
            Counts, skipped inputs, usage and seconds, as `hoptrail index --json` prints them.

        Raises:
            NothingIndexedError: If nothing of the input could be used.
            CostLimitError: At `max_usd`; what was paid for is stored.
            ModelNotConfiguredError: If a model is needed and none is set.
        """
        chosen = with_choices(options or IndexOptions(), choices)
        with self._handle.writing() as kb:
            indexer = self._indexer(kb, model, progress)
            if workers is None and ray is None:
                report = indexer.index(self._inputs(paths), chosen)
            else:
                from hoptrail.indexing.spreading.spread_run import index_spread

                task = self._shard_task(chosen, model, into)
                crew = _crew(workers, ray, gpus_per_worker, chosen.max_usd)
                report = index_spread(
                    indexer, self._inputs(paths), task, crew, progress or NoProgress()
                )
        return self._with_stores(report.to_json())

    def forecast(
        self,
        paths: Inputs = (),
        *,
        options: IndexOptions | None = None,
        model: str | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Return calls, tokens, dollars and minutes of an `index` run; spends nothing."""
        indexer = self._indexer(self._handle.plain(), model, None)
        chosen = with_choices(options or IndexOptions(), choices)
        return indexer.forecast(self._inputs(paths), chosen).to_json()

    def sync(
        self,
        folder: str | Path | Any,
        *,
        options: IndexOptions | None = None,
        allow_empty: bool = False,
        moved: bool = False,
        model: str | None = None,
        progress: Progress | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Bring the documents of a folder in step with its files: add, replace, delete.

        Files that are as they were are not read. A file that cannot be read keeps its documents and
        is listed as skipped. A run that was stopped is continued by the same call.

        Of a loader, a crawl or an iterable of documents, those of its source are deleted that did
        not come, but only where it came to its end.

        Args:
            folder: The folder; its documents are those that `index` gives it. Or a loader, a crawl,
                documents, or the name of a source of the settings.
            options: How to index; `choices` change single fields of it.
            allow_empty: Whether all its documents are deleted where it holds no readable file.
            moved: Whether it is the folder of its source, which was moved here.
            model: Chat model that extracts, `provider:name`; else that of the settings.
            progress: Observer of the stages.
            **choices: Fields of `hoptrail.indexing.options.IndexOptions`, as for `index`.

        Returns:
            As `index`: `documents` counts what was added, replaced, deleted, moved, unchanged and
            skipped; `deleted` lists ids, `moved` pairs of `former_id` and `doc_id`.

        Raises:
            InputError: If the folder is missing, or empty without `allow_empty`: then nothing is
                deleted.
            SourceRootError: If another folder of that name is in the base.
            CostLimitError: At `max_usd`; what was paid for is stored.
            ModelNotConfiguredError: If a model is needed and none is set.
        """
        chosen = with_choices(options or IndexOptions(), choices)
        with self._handle.writing() as kb:
            report = self._indexer(kb, model, progress).sync(
                self._synced(folder), chosen, allow_empty=allow_empty, moved=moved
            )
        self._forget_quotes(report.deleted)
        return self._with_stores(report.to_json())

    def plan_sync(
        self,
        folder: str | Path | Any,
        *,
        options: IndexOptions | None = None,
        allow_empty: bool = False,
        moved: bool = False,
        model: str | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Return what `sync` would do, and its forecast as of `forecast`; changes nothing.

        Returns:
            `added`, `replaced` and `deleted` list ids, `moved` pairs of `former_id` and `doc_id`;
            `unchanged`, `skipped` and `forecast`.
        """
        chosen = with_choices(options or IndexOptions(), choices)
        indexer = self._indexer(self._handle.plain(), model, None)
        plan = indexer.plan_sync(self._synced(folder), chosen, allow_empty=allow_empty, moved=moved)
        return plan.to_json()

    def consolidate(
        self,
        *,
        options: ConsolidationOptions | None = None,
        model: str | None = None,
        progress: Progress | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Merge entities that a model finds to be one, and bring their types into a schema.

        What was decided is kept: nothing is asked twice, and it holds for later documents.

        Args:
            options: How to tidy; `choices` change single fields of it.
            model: Chat model that decides, `provider:name`; else that of the settings.
            progress: Observer of the stages.
            **choices: Fields of
                `hoptrail.indexing.options.ConsolidationOptions`: entity_types,
                similarity, concurrency, max_usd.

        Returns:
            `merged, apart, labelled, unlabelled, failed, usage`.

        Raises:
            CostLimitError: At `max_usd`; what was decided is stored and holds.
            ModelNotConfiguredError: If no model is set.
        """
        with self._handle.writing() as kb:
            indexer = self._indexer(kb, model, progress)
            report = indexer.consolidate(with_choices(options or ConsolidationOptions(), choices))
        return self._with_stores(report.to_json())

    def forecast_consolidation(
        self,
        *,
        options: ConsolidationOptions | None = None,
        model: str | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Return what `consolidate` would cost: types, entities, calls, tokens, dollars."""
        indexer = self._indexer(self._handle.embedded(), model, None)
        return indexer.forecast_consolidation(
            with_choices(options or ConsolidationOptions(), choices)
        ).to_json()

    def merges(self) -> list[Merge]:
        """Return the merges of entities, with the reason of each."""
        return self._handle.plain().merges()

    def undo_merges(self, merge_ids: Sequence[str]) -> list[Merge]:
        """Take merges back and return them: each two are kept apart for good; calls no model.

        Raises:
            UnknownNameError: If one of them is not there; then nothing is taken back.
        """
        with self._handle.writing() as kb:
            return self._indexer(kb, None, None).undo_merges(merge_ids)

    def communities(
        self,
        *,
        options: CommunityOptions | None = None,
        model: str | None = None,
        progress: Progress | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Find the communities of the graph and write the reports that they lack.

        Only what changed since the last run is done again; a run that was stopped is continued by
        the same call, and pays for nothing twice. Without a model the reports are put together from
        names and key sentences.

        Args:
            options: How to find and report; `choices` change single fields of it.
            model: Chat model that reports, `provider:name`; else that of the settings.
            progress: Observer of the stages.
            **choices: Fields of `hoptrail.indexing.options.CommunityOptions`: rebuild,
                extractive, concurrency, max_usd, material_tokens, seed.

        Returns:
            `levels[{level, communities, reported, reused, made, dropped}]` from the coarsest on,
            `failed[{community_id, reason}]`, `usage`, `seconds`, `resumable`.

        Raises:
            CostLimitError: At `max_usd`; what was paid for is stored.
        """
        with self._handle.writing() as kb:
            builder = self._community_builder(kb, model, progress)
            report = builder.build(with_choices(options or CommunityOptions(), choices))
        return self._with_stores(report.to_json())

    def forecast_communities(
        self,
        *,
        options: CommunityOptions | None = None,
        model: str | None = None,
        **choices: Any,
    ) -> JsonDict:
        """Return what `communities` would cost: calls, tokens, dollars, minutes; spends nothing."""
        builder = self._community_builder(self._handle.plain(), model, None)
        return builder.forecast(with_choices(options or CommunityOptions(), choices)).to_json()

    def delete(self, doc_ids: str | Sequence[str], *, max_usd: float | None = None) -> JsonDict:
        """Delete documents and all that only they supported; calls no model.

        Conversations show "deleted" where they quoted them.

        Args:
            doc_ids: Their ids, or that of one.
            max_usd: What vectors of a served embedder may cost: some entities read otherwise after.

        Raises:
            UnknownNameError: If one of them is not there; then nothing is deleted.
            CostLimitError: At `max_usd`; nothing is deleted.
        """
        with self._handle.writing() as kb:
            wanted = [doc_ids] if isinstance(doc_ids, str) else doc_ids
            report = self._indexer(kb, None, None).delete(wanted, max_usd)
        self._forget_quotes(report.deleted)
        return self._with_stores(report.to_json())

    def merge(
        self,
        other: str | Path,
        *,
        max_usd: float | None = None,
        progress: Progress | None = None,
    ) -> JsonDict:
        """Add the documents of another knowledge base, with all that was read in them.

        Nothing is read again; vectors of the same embedder are taken over. The other base stays as
        it is. A folder of shards, as `hoptrail index --shard` makes them, is merged too: their
        documents are added, replaced or left as they are, as `index` would.

        Args:
            other: Its folder, or a name that the settings list; or a folder of shards.
            max_usd: What vectors of a served embedder may cost.
            progress: Observer of the stages.

        Raises:
            InputError: If both have a document of one id with other text, or a source with another
                root, or a shard is missing, cut or damaged: then nothing is added.
            CostLimitError: At `max_usd`; what was added is stored, and the same call goes on.
        """
        from hoptrail.indexing.shards.shard_set import holds_shards

        folder = self._settings.base_of(other).records
        if holds_shards(folder):
            return self._merge_shards(folder, max_usd, progress)
        if folder.resolve() == self._handle.path.resolve():
            raise InputError(f"{other} is this knowledge base", hint="name another one")
        with KnowledgeBase.open(folder) as given, self._handle.writing() as kb:
            report = self._indexer(kb, None, progress).merge(given, max_usd)
        return self._with_stores(report.to_json())

    def _derive(self, max_usd: float | None, progress: Progress | None) -> None:
        """Make graph, vectors and arrays anew where nothing was ever published of what is there."""
        if self._handle.plain().newest_generation == 0:
            with self._handle.writing(progress=progress) as kb:
                self._indexer(kb, None, progress).derive(max_usd)

    def _merge_shards(
        self, folder: Path, max_usd: float | None, progress: Progress | None
    ) -> JsonDict:
        from hoptrail.indexing.shards.shard_set import finished_shards, stopped_by

        shards = finished_shards(folder)
        options = IndexOptions(extractor="none", max_usd=max_usd)
        with self._handle.writing() as kb:
            report = self._indexer(kb, None, progress).index((), options, shards=shards)
        stopped = stopped_by(shards)
        if stopped is not None:
            told = f"{stopped}; run that shard again, and merge again"
            report = replace(report, notes=(*report.notes, told), resumable=True)
        return self._with_stores(report.to_json())

    def forecast_deletion(self, doc_ids: Sequence[str]) -> JsonDict:
        """Return texts, tokens and dollars of vectors that `delete` would make; spends nothing."""
        indexer = self._indexer(self._handle.plain(), None, None)
        return indexer.forecast_deletion(doc_ids).to_json()

    def without_deleted(self, answer: Answer) -> Answer:
        """Return an answer of before with "deleted" for quotes of documents that are gone since."""
        from hoptrail.api.deleted_quotes import without_deleted

        return without_deleted(answer, self._handle.plain().missing_documents)

    def reembed(
        self,
        embedder: str | Embedder | Embeddings,
        *,
        embedder_name: str | None = None,
        max_usd: float | None = None,
        progress: Progress | None = None,
    ) -> JsonDict:
        """Give everything vectors of another embedder, and use it from now on.

        A run that was stopped is continued by the same call, and pays for nothing twice.

        Args:
            embedder: As of `open`.
            embedder_name: As of `open`.
            max_usd: What the run may spend at most.
            progress: Observer of the stages.

        Raises:
            CostLimitError: At `max_usd`; the vectors so far are stored.
        """
        chosen = as_embedder(embedder, self._settings, embedder_name)
        with self._handle.writing(chosen) as kb:
            report = self._indexer(kb, None, progress).reembed(chosen, max_usd)
        return self._with_stores(report.to_json())

    def publish(self, *, progress: Progress | None = None) -> JsonDict:
        """Bring the server of the base in step with its folder, as every writing call does itself.

        Only what changed since the server's generation is written; all of it where that is not
        known, or where the server lost something.

        Args:
            progress: Observer of the stages.

        Returns:
            `generation` of the folder, and `stores[{store, generation, in_step, counts, written,
            removed, repaired, error}]`.

        Raises:
            SettingsError: If the settings name no server for the base.
        """
        self._handle.publish(progress)
        return self._with_stores({"generation": self._handle.plain().newest_generation})

    @property
    def publications(self) -> list[StoreReport]:
        """The reports of the last call that wrote to servers; a failed one has an error."""
        return self._handle.publications

    def forecast_reembedding(
        self, embedder: str | Embedder | Embeddings, *, embedder_name: str | None = None
    ) -> JsonDict:
        """Return texts, tokens and dollars of a `reembed` run; spends nothing."""
        if isinstance(embedder, str):
            remote = embedder if is_remote(embedder) else None
        else:
            given = as_embedder(embedder, self._settings, embedder_name)
            remote = given.name if isinstance(given, RemoteEmbedder) else None
        indexer = self._indexer(self._handle.plain(), None, None)
        return indexer.forecast_reembedding(remote).to_json()

    def _inputs(self, given: Inputs) -> list[Source]:
        """Return the inputs of a call as a run takes them."""
        from hoptrail.indexing.loading.inputs import as_inputs

        return as_inputs(given, self._settings.sources)

    def _synced(self, given: Any) -> str | Path | Feed:
        """Return what a call is to bring in step."""
        from hoptrail.indexing.loading.inputs import as_synced

        return as_synced(given, self._settings.sources)

    def _with_stores(self, report: JsonDict) -> JsonDict:
        stores = [one.to_json() for one in self._handle.publications]
        return {**report, "stores": stores} if stores else report

    def _forget_quotes(self, doc_ids: Sequence[str]) -> None:
        if doc_ids:
            self._conversations.forget_quotes(doc_ids)
            self._forget_feedback(doc_ids)

    def _shard_task(
        self, options: IndexOptions, model: str | None, into: str | Path | None
    ) -> ShardTask:
        from hoptrail.indexing.shards.shard_folder import Shard
        from hoptrail.indexing.spreading.shard_run import ShardTask
        from hoptrail.stores.records.folder import SHARDS_NAME

        embedder = self._handle.embedder_to_open
        if embedder is None:
            raise SettingsError(
                "other processes cannot be given this embedder", hint="give the name of one"
            )
        base = self._handle.path.resolve()
        return ShardTask(
            (),
            options,
            Shard(1, 1),
            Path(into).resolve() if into is not None else base / SHARDS_NAME,
            self._settings,
            embedder,
            model,
            base,
        )

    def _indexer(self, kb: KnowledgeBase, model: str | None, progress: Progress | None) -> Indexer:
        from hoptrail.indexing.pipeline import Indexer

        return Indexer(kb, progress=progress, **self._means(model))

    def _community_builder(
        self, kb: KnowledgeBase, model: str | None, progress: Progress | None
    ) -> CommunityBuilder:
        from hoptrail.indexing.communities.building import CommunityBuilder

        return CommunityBuilder(kb, progress=progress, **self._means(model))

    def _means(self, model: str | None) -> dict[str, Any]:
        """Return the settings, models and embedder that a run over the base works with."""
        from hoptrail.models.chat import ChatModels

        remote = self._handle.embedder_name if self._handle.has_remote_embedder else None
        return {
            "settings": self._settings,
            "models": ChatModels(self._settings, {"default": model} if model else {}),
            "remote_embedder": remote,
        }


def _crew(
    workers: int | None, ray: str | None, gpus_per_worker: float, max_usd: float | None
) -> Crew:
    if ray is not None:
        from hoptrail.indexing.spreading.ray_crew import RayCrew

        return RayCrew(ray, workers, gpus_per_worker, max_usd)
    from hoptrail.indexing.spreading.local_crew import LocalCrew

    if workers is None or workers < 1:
        raise SettingsError("workers must be at least 1")
    return LocalCrew(workers, max_usd)
