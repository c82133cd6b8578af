"""Vectors of texts: which are missing, and which model made those that are there."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.embedding import (
    Embedder,
    FloatArray,
    probe_vector,
)
from hoptrail.stores.base.open_records import OpenRecords
from hoptrail.stores.records import (
    embedding_table,
    meta_table,
    unpublished_table,
)
from hoptrail.stores.snapshot.item_texts import texts_without_vectors, told_relations


class VectorRecords(OpenRecords):
    """The methods of `KnowledgeBase` for stored vectors."""

    def texts_without_vectors(self, *, read: bool = True) -> list[str]:
        """Return each text that still needs a vector once, in a stable order.

        These are the passages, their sentences, and the texts of entities, relations and reports.

        Args:
            read: Whether to look at what was read in passages too: sentences, names and relations.
        """
        with self._database.read() as connection:
            return texts_without_vectors(connection, self._embedder_id, read=read)

    def texts_without_vectors_of(self, embedder: str) -> list[str]:
        """Return each text once that no embedder of this name gave a vector, in a stable order."""
        with self._database.read() as connection:
            embedder_id = embedding_table.newest_of_name(connection, embedder)
            return texts_without_vectors(connection, embedder_id)

    def put_embeddings(self, texts: Sequence[str], vectors: FloatArray) -> None:
        """Store the unit vectors of these texts, shape (len(texts), dim).

        Raises:
            KnowledgeBaseError: If the shape is wrong, or the base has no embedder yet.
        """
        with self._database.write() as connection:
            had_vectors = embedding_table.put_embeddings(
                connection, self._known_embedder(), texts, vectors
            )
            if had_vectors or not unpublished_table.listed_only(connection):
                meta_table.mark_changed(connection)

    @property
    def static_model(self) -> str | None:
        """Name of the static model that made published vectors of names, relations and sentences.

        None where the embedder itself made all, and in a base of a version that did not note it.
        """
        with self._database.read() as connection:
            return embedding_table.noted_static(connection, self._embedder_id)

    def make_static_vectors_anew(self) -> None:
        """Let the next publication make all static vectors anew, by the present model."""
        with self._database.write() as connection:
            meta_table.mark_changed(connection)

    def told_relations(self) -> list[str]:
        """Return the ids of the relations with a text of their own; others share a vector."""
        with self._database.read() as connection:
            return told_relations(connection)

    def change_embedder(self, embedder: Embedder) -> None:
        """Embed with another model from now on; readers see its vectors once it is published."""
        probe = probe_vector(embedder)
        with self._database.write() as connection:
            self._embedder_id = embedding_table.register_embedder(connection, embedder.name, probe)
        self._embedder = embedder
        self._memory = self._remember(embedder)
