"""Extractions, triples, and the graph that is derived from them, with its merges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from hoptrail.core.types import (
    Entity,
    Extraction,
    NodeUsage,
    Relation,
)
from hoptrail.core.types.graph import Merge
from hoptrail.stores.base.open_records import OpenRecords
from hoptrail.stores.records import (
    community_table,
    consolidation_table,
    extraction_table,
    graph_inputs,
    graph_table,
    meta_table,
    triple_table,
    unpublished_table,
)
from hoptrail.stores.records.bulk_graph import BulkGraph, write_bulk_graph
from hoptrail.stores.records.consolidation_table import Decisions, LabelPair
from hoptrail.stores.records.extraction_table import ExtractionStatus, FailedExtraction, Mention
from hoptrail.stores.records.graph_table import GraphChange, GraphIds
from hoptrail.stores.records.triple_table import TripleList


class GraphRecords(OpenRecords):
    """The methods of `KnowledgeBase` for extractions and the graph."""

    def put_extraction(
        self,
        doc_id: str,
        chunk_id: str | None,
        extractor: str,
        extraction: Extraction | None,
        usage: NodeUsage,
        error: str | None = None,
    ) -> None:
        """Store what an extractor read in a chunk (None: in the document as a whole), at once.

        Without an `extraction` it is a failure with this `error`. What was spent is added to what
        earlier tries at the same place spent.
        """
        with self._database.write() as connection:
            extraction_table.put_extraction(
                connection, doc_id, chunk_id, extractor, extraction, usage, error
            )

    def drop_extractions(self, extractor: str, chunk_ids: Iterable[str] | None = None) -> None:
        """Delete an extractor's results and failures, of these chunks or all."""
        with self._database.write() as connection:
            extraction_table.drop_extractions(connection, extractor, chunk_ids)

    def extractors(self) -> list[str]:
        """Return the names of all that read in documents, in order."""
        with self._database.read() as connection:
            return extraction_table.extractors(connection)

    def extraction_status(
        self, extractor: str, chunk_ids: Sequence[str] | None = None
    ) -> dict[str, ExtractionStatus]:
        """Return what became of each chunk (or document, by its id) that it was given.

        Args:
            extractor: Its name.
            chunk_ids: Chunks that are asked about; more may be told. None for all.
        """
        with self._database.read() as connection:
            return extraction_table.extraction_status(connection, extractor, chunk_ids)

    def failed_extractions(self) -> list[FailedExtraction]:
        """Return all failures that no later try has mended."""
        with self._database.read() as connection:
            return extraction_table.failed_extractions(connection)

    def mentions(self) -> Iterator[Mention]:
        """Yield `(doc_id, chunk_id or None, extractor, extraction)` in canonical order."""
        with self._database.read() as connection:
            yield from extraction_table.iter_mentions(connection)

    def mentions_changed(self) -> tuple[list[Mention], list[Mention]] | None:
        """Return what the graph has of documents that were replaced, and what it is to have.

        The latter is what was read in new documents too. None if that is not all that differs.
        """
        with self._database.read() as connection:
            if extraction_table.has_document_mentions(connection):
                return None
            gone = extraction_table.replaced_mentions(connection)
            if any(mention[1] is None for mention in gone):
                return None
            new = unpublished_table.underived(connection)
            return gone, extraction_table.mentions_of(connection, "doc_id", new)

    def mentions_derived(self, doc_ids: Collection[str]) -> list[Mention] | None:
        """Return what the graph has of some documents, None if that is not to be told apart."""
        with self._database.read() as connection:
            if extraction_table.has_document_mentions(connection):
                return None
            if any(unpublished_table.is_underived(connection, doc_id) for doc_id in doc_ids):
                return None
            return extraction_table.mentions_of(connection, "doc_id", sorted(doc_ids))

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
            return known, extraction_table.mentions_of(connection, "chunk_id", sorted(chunks))

    @property
    def derived_by(self) -> str:
        """Rules and decisions by which the graph was derived from all but `mentions_changed`."""
        with self._database.read() as connection:
            return unpublished_table.derived_by(connection)

    def note_derived(self, by: str) -> None:
        """Note that the graph is derived from all documents; with "", that it never counts so.

        Args:
            by: Version and choices of what derived it.
        """
        with self._database.write() as connection:
            unpublished_table.note_derived(connection, by)

    def change_graph(self, change: GraphChange) -> None:
        """Write what differs of the graph.

        Raises:
            KnowledgeBaseError: If a relation's end point is not among the entities.
        """
        with self._database.write() as connection:
            changed = graph_table.change_graph(connection, change)
            if not (changed.entities or changed.relations or change.merges or change.gone_merges):
                return
            unpublished_table.list_items(connection, "entity", changed.entities)
            unpublished_table.list_items(connection, "relation", changed.relations)
            graph_inputs.record_inputs(connection, "")
            community_table.mark_stale(connection)

    def listed_change(self) -> GraphIds | None:
        """Return the items of the graph that differ from the published one; None if not known."""
        with self._database.read() as connection:
            if not unpublished_table.listed_only(connection):
                return None
            return GraphIds(
                unpublished_table.listed_ids(connection, "entity"),
                unpublished_table.listed_ids(connection, "relation"),
            )

    def relation_ends(self, ids: Sequence[str]) -> set[str]:
        """Return the entities that these relations join in the present graph, published or not."""
        with self._database.read() as connection:
            return graph_table.relation_ends(connection, ids)

    def put_triples(self, doc_id: str, digest: str, triples: TripleList) -> None:
        """Store a bare graph as what a document states; `digest` tells a changed one apart."""
        with self._database.write() as connection:
            triple_table.put_triples(connection, doc_id, digest, triples)
            meta_table.mark_changed(connection)

    def triple_digests(self) -> dict[str, str]:
        """Return the digest of each bare graph by document, in order of documents."""
        with self._database.read() as connection:
            return triple_table.triple_digests(connection)

    def triples(self) -> Iterator[TripleList]:
        """Yield the bare graphs in order of their documents."""
        with self._database.read() as connection:
            yield from triple_table.iter_triples(connection)

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
                graph_inputs.record_inputs(connection, "")
                community_table.mark_stale(connection)
                meta_table.mark_changed(connection)
                unpublished_table.note_derived(connection, "")
            return changed

    def graph_inputs(self, version: str) -> str:
        """Return the hash of all that the graph is derived from, and of the rules' version."""
        with self._database.read() as connection:
            return graph_inputs.inputs_digest(connection, version)

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
            graph_inputs.record_inputs(connection, inputs)
            community_table.mark_stale(connection)
            meta_table.mark_changed(connection)

    @property
    def derived_from(self) -> str:
        """The `graph_inputs` of the present graph, "" unless it was written in bulk."""
        with self._database.read() as connection:
            return graph_inputs.recorded_inputs(connection)

    def merges(self) -> list[Merge]:
        """Return the merges of the present graph, by id."""
        with self._database.read() as connection:
            return list(graph_table.iter_merges(connection))

    def undo_merge(self, merge_id: str) -> None:
        """Veto a merge: the next derivation of the graph keeps the two apart.

        Raises:
            UnknownNameError: If there is no such merge.
        """
        with self._database.write() as connection:
            graph_table.veto_merge(connection, merge_id)

    def decisions(self, schema: Collection[str] | None = None) -> Decisions:
        """Return what resolution has to respect: vetoes, confirmed merges and type labels.

        Args:
            schema: Types that labels may have; those of the edited schema where None.
        """
        with self._database.read() as connection:
            return consolidation_table.read_decisions(connection, schema)

    def judged_labels(self) -> set[str]:
        """Return the label of each sense that a model was asked about, whatever it said."""
        with self._database.read() as connection:
            return consolidation_table.judged_labels(connection)

    def put_verdicts(self, verdicts: Mapping[LabelPair, bool]) -> None:
        """Store whether pairs of sense labels are one thing; the next derivation respects it."""
        with self._database.write() as connection:
            consolidation_table.put_verdicts(connection, verdicts)

    def put_type_labels(self, labels: Mapping[str, str]) -> None:
        """Store the schema's entity type for types that an extractor wrote, by their name key."""
        with self._database.write() as connection:
            consolidation_table.put_type_labels(connection, labels)
