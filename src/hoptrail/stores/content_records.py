"""Contents of a knowledge base: documents, files and pictures; extractions, graph, communities."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from hoptrail.core.types import Community, Entity, Relation
from hoptrail.core.types.graph import Merge
from hoptrail.stores.open_records import OpenRecords, iterating, reading, writing
from hoptrail.stores.records import (
    bare_graphs,
    change_table,
    community_table,
    document_table,
    graph_decisions,
    graph_table,
    result_tables,
    source_table,
    tables,
)
from hoptrail.stores.records.bare_graphs import BulkGraph, write_bulk_graph
from hoptrail.stores.records.community_table import ClusteringRecord
from hoptrail.stores.records.copies import write_filtered_copy
from hoptrail.stores.records.graph_decisions import LabelPair
from hoptrail.stores.records.graph_table import GraphChange, GraphIds
from hoptrail.stores.records.result_tables import Mention
from hoptrail.stores.snapshot.graph_index import (
    CommunityIndex,
    build_community_arrays,
    load_community_index,
)


class DocumentRecords(OpenRecords):
    """The methods of `KnowledgeBase` for documents and their passages."""

    content_hashes = reading(document_table.content_hashes)
    document_records = reading(document_table.document_records)
    document_languages = reading(document_table.document_languages)
    iter_chunks = iterating(document_table.iter_chunks)
    iter_table_chunks = iterating(document_table.iter_table_chunks)
    put_document = writing(document_table.put_document)
    put_field = writing(document_table.put_field)
    rename_document = writing(document_table.rename_document)

    origins = reading(source_table.origins)
    origins_of = reading(source_table.origins_of)
    origins_elsewhere = reading(source_table.origins_elsewhere)
    documents_of = reading(source_table.documents_of)
    source_roots = reading(source_table.source_roots)
    put_source_roots = writing(source_table.put_source_roots)
    move_root = writing(source_table.move_root)
    file_stamps = reading(source_table.file_stamps)
    put_file_stamps = writing(source_table.put_file_stamps)

    known_scans = reading(result_tables.known_scans)
    scan = reading(result_tables.scan)
    put_scan = writing(result_tables.put_scan)
    document_scans = reading(result_tables.document_scans)
    shown_picture = reading(result_tables.shown_picture)
    forget_unused_scans = writing(result_tables.forget_unused_scans)

    def current_hashes(self, ids: Iterable[str]) -> dict[str, str]:
        """Return `Document.content_hash` by id of those documents that are there now.

        An id that a document once had stands for it.
        """
        with self._database.read(newest=True) as connection:
            return source_table.current_hashes(connection, list(ids))

    def missing_documents(self, ids: Iterable[str]) -> set[str]:
        """Return which of these ids no document has or once had."""
        with self._database.read(newest=True) as connection:
            return source_table.missing_documents(connection, ids)

    def copy_documents(self, folder: Path, doc_ids: Sequence[str]) -> None:
        """Write a knowledge base of these documents and what was read in them.

        Its graph and vectors are to be derived, and it is to be published.

        Args:
            folder: An empty folder.
            doc_ids: Documents of this base.
        """
        name = self.name
        with self._database.read() as connection:
            write_filtered_copy(connection, folder, doc_ids, name)

    def delete_documents(self, ids: Iterable[str], *, derived: bool = False) -> None:
        """Delete documents with all that was read in them, and community reports that rest on them.

        The graph is derived anew by others.

        Readers miss their text from the commit on, so publish in the same `transaction`.

        Args:
            ids: Their ids.
            derived: Whether the graph was derived without them within this `transaction`, which is
                to publish it too: their text is gone from the file only then.

        Raises:
            UnknownNameError: If one is not there; then nothing is deleted.
        """
        with self._database.write() as connection:
            document_table.delete_documents(connection, ids, derived=derived)
            source_table.forget_unused(connection)


class GraphRecords(OpenRecords):
    """The methods of `KnowledgeBase` for extractions and the graph."""

    put_extraction = writing(result_tables.put_extraction)
    drop_extractions = writing(result_tables.drop_extractions)
    extractors = reading(result_tables.extractors)
    extraction_status = reading(result_tables.extraction_status)
    failed_extractions = reading(result_tables.failed_extractions)
    mentions = iterating(result_tables.iter_mentions)

    put_triples = writing(bare_graphs.put_triples)
    triple_digests = reading(bare_graphs.triple_digests)
    triples = iterating(bare_graphs.iter_triples)

    graph_inputs = reading(change_table.inputs_digest)
    note_derived = writing(change_table.note_derived)
    relation_ends = reading(graph_table.relation_ends)
    merges = reading(graph_table.list_merges)
    undo_merge = writing(graph_table.veto_merge)
    decisions = reading(graph_decisions.read_decisions)
    judged_labels = reading(graph_decisions.judged_labels)
    put_verdicts = writing(graph_decisions.put_verdicts)
    put_type_labels = writing(graph_decisions.put_type_labels)

    def mentions_changed(self) -> tuple[list[Mention], list[Mention]] | None:
        """Return what the graph has of documents that were replaced, and what it is to have.

        The latter is what was read in new documents too. None if that is not all that differs.
        """
        with self._database.read() as connection:
            if result_tables.has_document_mentions(connection):
                return None
            gone = result_tables.replaced_mentions(connection)
            if any(mention[1] is None for mention in gone):
                return None
            new = change_table.underived(connection)
            return gone, result_tables.mentions_of(connection, "doc_id", new)

    def mentions_derived(self, doc_ids: Collection[str]) -> list[Mention] | None:
        """Return what the graph has of some documents, None if that is not to be told apart."""
        with self._database.read() as connection:
            if result_tables.has_document_mentions(connection):
                return None
            if any(change_table.is_underived(connection, doc_id) for doc_id in doc_ids):
                return None
            return result_tables.mentions_of(connection, "doc_id", sorted(doc_ids))

    def mentions_named(
        self, keys: Iterable[str], pairs: Iterable[LabelPair], most: int
    ) -> tuple[set[str], list[Mention]]:
        """Return all names that these lead to by names of one entity, and where the graph has them.

        Args:
            keys: Keys of names.
            pairs: Keys that lead to each other beside.
            most: In how many chunks at most.

        Raises:
            TooManyMentionsError: If they stand in more.
        """
        with self._database.read() as connection:
            known, chunks = graph_table.items_named(connection, keys, pairs, most)
            return known, result_tables.mentions_of(connection, "chunk_id", sorted(chunks))

    @property
    def derived_by(self) -> str:
        """Rules and decisions by which the graph was derived from all but `mentions_changed`."""
        with self._database.read() as connection:
            return change_table.derived_by(connection)

    def change_graph(self, change: GraphChange) -> None:
        """Write what differs of the graph.

        Raises:
            KnowledgeBaseError: If a relation's end point is not among the entities.
        """
        with self._database.write() as connection:
            changed = graph_table.change_graph(connection, change)
            if not (changed.entities or changed.relations or change.merges or change.gone_merges):
                return
            change_table.list_items(connection, "entity", changed.entities)
            change_table.list_items(connection, "relation", changed.relations)
            change_table.record_inputs(connection, "")
            community_table.mark_stale(connection)

    def listed_change(self) -> GraphIds | None:
        """Return the items of the graph that differ from the published one; None if not known."""
        with self._database.read() as connection:
            if not change_table.listed_only(connection):
                return None
            return GraphIds(
                change_table.listed_ids(connection, "entity"),
                change_table.listed_ids(connection, "relation"),
            )

    def replace_graph(
        self, entities: Iterable[Entity], relations: Iterable[Relation], merges: Iterable[Merge]
    ) -> bool:
        """Make these the graph, and return whether that changed anything.

        Raises:
            KnowledgeBaseError: If a relation's end point is not among the entities.
        """
        with self._database.write() as connection:
            changed = graph_table.replace_graph(connection, entities, relations, merges)
            if changed:
                change_table.record_inputs(connection, "")
                community_table.mark_stale(connection)
                tables.mark_changed(connection)
                change_table.note_derived(connection, "")
            return changed

    def replace_graph_in_bulk(
        self,
        bulk: BulkGraph,
        entities: Collection[Entity],
        relations: Collection[Relation],
        merges: Collection[Merge],
        *,
        inputs: str,
        advance: Callable[[int], None],
    ) -> None:
        """Make the columns and these items the graph.

        Args:
            bulk: The columns.
            entities: Read from passages; of an id that both have, this item counts.
            relations: The same.
            merges: The merges.
            inputs: What `graph_inputs` returned when the graph was derived.
            advance: Told how many rows were written.
        """
        with self._database.write() as connection:
            write_bulk_graph(connection, bulk, (entities, relations, merges), advance)
            change_table.record_inputs(connection, inputs)
            community_table.mark_stale(connection)
            tables.mark_changed(connection)

    @property
    def derived_from(self) -> str:
        """The `graph_inputs` of the present graph, "" unless it was written in bulk."""
        with self._database.read() as connection:
            return change_table.recorded_inputs(connection)


class CommunityRecords(OpenRecords):
    """The methods of `KnowledgeBase` for communities and their reports."""

    communities = reading(community_table.list_communities)
    community_levels = reading(community_table.community_levels)
    community_keys = reading(community_table.community_keys)
    hierarchy = reading(community_table.hierarchy)
    clustering = reading(community_table.read_clustering)
    mark_communities = writing(community_table.put_stale)
    put_report = writing(community_table.put_report)
    report_keys = reading(community_table.report_keys)
    prune_reports = writing(community_table.prune_reports)
    descriptions = iterating(graph_table.iter_descriptions)

    def unpublished_community_index(self) -> CommunityIndex:
        """Return the hierarchy as it is now, as arrays; entities are rows of `index`."""
        entity_ids = self.index.entity_ids
        with self._database.read() as connection:
            arrays = build_community_arrays(connection, entity_ids)
        return load_community_index({"entity_ids": entity_ids, **arrays})

    @property
    def communities_stale(self) -> bool:
        """Whether the graph changed since the communities were made."""
        with self._database.read() as connection:
            return community_table.is_stale(connection)

    def replace_communities(
        self,
        communities: Sequence[Community],
        keys: Mapping[str, str],
        *,
        record: ClusteringRecord | None = None,
    ) -> bool:
        """Make these the hierarchy, none of them stale; return whether that changed anything.

        Reports stay, also those whose key no community bears any more.

        Args:
            communities: Their reports are not read. `entity_ids` of one with children may be left
                out (with `size` set), or list all members.
            keys: Content hash of each by id: of members, relations and the children's keys.
            record: What the next clustering is to go on from; without it, a hierarchy that is new
                has none.
        """
        with self._database.write() as connection:
            changed = community_table.replace_communities(connection, communities, keys)
            if changed:
                community_table.drop_clustering(connection)
                tables.mark_changed(connection)
            if record is not None:
                community_table.put_clustering(connection, record)
            return changed

    def adopt_communities(self, keys: Mapping[str, str], record: ClusteringRecord) -> None:
        """Let the next clustering go on from a hierarchy that was made elsewhere.

        Args:
            keys: Content hash of each community by id, in place of those it was given with.
            record: The hierarchy as a tree of clusters.
        """
        with self._database.write() as connection:
            community_table.rename_keys(connection, keys)
            community_table.put_clustering(connection, record)
