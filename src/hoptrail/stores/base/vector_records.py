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
    change_table,
    embedding_table,
    meta_table,
    unpublished_table,
)
from hoptrail.stores.snapshot.item_texts import texts_without_vectors, told_relations

_STATIC_VECTORS = "static_vectors"  # the embedder whose static model made some of its, its name


class VectorRecords(OpenRecords):
    """The methods of `KnowledgeBase` for stored vectors."""

    def texts_without_vectors(self, *, read: bool | None = None) -> list[str]:
        """Return each text that still needs a vector once, in a stable order.

        These are the passages, their sentences, and the texts of entities, relations and reports.

        Args:
            read: Only what was read in passages, which are sentences, names and relations (True),
                only the rest (False), or both.
        """
        with self._database.read() as connection:
            return texts_without_vectors(connection, self._embedder_id, read=read)

    def texts_without_vectors_of(self, embedder: str) -> list[str]:
        """Return each text once that no embedder of this name gave a vector, in a stable order."""
        with self._database.read() as connection:
            embedder_id = embedding_table.newest_of_name(connection, embedder)
            return texts_without_vectors(connection, embedder_id)

    def texts_read(self) -> list[str]:
        """Return the sentences, names and relations that were read in passages, each once."""
        with self._database.read() as connection:
            return texts_without_vectors(connection, None, read=True)

    def put_embeddings(
        self, texts: Sequence[str], vectors: FloatArray, *, static: str | None = None
    ) -> None:
        """Store the unit vectors of these texts, shape (len(texts), dim).

        Args:
            texts: The texts.
            vectors: Their vectors.
            static: Name of the embedder's static model, if that made them. Where another one made
                vectors before, these remain noted as its: what it made is still among them.

        Raises:
            KnowledgeBaseError: If the shape is wrong, or the base has no embedder yet.
        """
        with self._database.write() as connection:
            had_vectors = embedding_table.put_embeddings(
                connection, self._known_embedder(), texts, vectors, pack=static is not None
            )
            if static is not None and self._static_model(connection) is None:
                noted = f"{self._embedder_id} {static}"
                meta_table.write_meta(connection, _STATIC_VECTORS, noted)
            if had_vectors or not unpublished_table.listed_only(connection):
                meta_table.mark_changed(connection)

    @property
    def static_model(self) -> str | None:
        """Name of the static model that made vectors of names, relations and sentences.

        None where the embedder itself made all; empty in a base of a version that did not note it.
        """
        with self._database.read() as connection:
            return self._static_model(connection)

    def note_static_model(self, name: str | None) -> None:
        """Note which static model has made all those vectors anew, None for the embedder itself."""
        noted = "" if name is None else f"{self._embedder_id} {name}"
        with self._database.write() as connection:
            meta_table.write_meta(connection, _STATIC_VECTORS, noted)
            change_table.note_all_changed(connection)

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
