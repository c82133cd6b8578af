"""The view into a knowledge base: its documents, passages, entities, reports, and copies of all."""

from __future__ import annotations

from pathlib import Path

from hoptrail.api.open_base import OpenBase
from hoptrail.core.filter_text import FilterForm
from hoptrail.core.types import Community, JsonDict
from hoptrail.services.serving_stores import StoreReport


class Contents(OpenBase):
    """The methods of `Hoptrail` that show what a knowledge base holds, and write it out."""

    def info(
        self, *, documents: bool = False, fields: bool = False, tables: bool = False
    ) -> JsonDict:
        """Return counts, embedder, versions and extractors, and what servers hold of the base.

        Args:
            documents: Add the ledger by document.
            fields: Add the fields that a filter may ask for, with the number of documents and
                some values of each.
            tables: Add the tables that documents hold, with their columns and rows.
        """
        kb = self._handle.plain()
        found = kb.info(documents=documents)
        if self._handle.is_served:
            found["stores"] = [one.to_json() for one in self.stores()]
        if tables:
            from hoptrail.api.browsing import list_tables

            found["tables"] = list_tables(kb)
        if not fields:
            return found
        from hoptrail.services.filtered_bases import filter_fields

        return {**found, "fields": filter_fields(kb)}

    def stores(self) -> list[StoreReport]:
        """Return what each server of the base holds, and whether it is in step with the folder."""
        return self._handle.stores()

    def fields(self, *, filter: FilterForm | None = None) -> JsonDict:
        """Return what a filter of documents can ask for.

        Args:
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `fields`: by name the number of `documents` that have it, and some `values`.
        """
        from hoptrail.services.filtered_bases import filter_fields

        return {"fields": filter_fields(self._seen(filter))}

    def documents(
        self,
        search: str = "",
        *,
        limit: int = 100,
        offset: int = 0,
        filter: FilterForm | None = None,
    ) -> JsonDict:
        """Return documents by id, without their texts.

        Args:
            search: Stands in the title or the id, in small or capital letters; all where empty.
            limit: How many at most.
            offset: How many to pass over.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `documents[{doc_id, title, source, state, passages, failed}]` and `total`.
        """
        from hoptrail.api.browsing import list_documents

        return list_documents(self._seen(filter), search, limit=limit, offset=offset)

    def document(
        self,
        doc_id: str,
        *,
        start: int | None = None,
        end: int | None = None,
        around: int | None = None,
        length: int = 200_000,
        filter: FilterForm | None = None,
    ) -> JsonDict:
        """Return a document, or the part of a long one around some characters.

        Args:
            doc_id: Its id.
            start: First character to highlight.
            end: The one after the last.
            around: Character that the part is laid around; else the middle of the highlight.
            length: Characters of the part, at most.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `doc_id, title, source, uri, metadata, text, offset, total, places, highlight, pages,
            unsure`: `text` begins at the character `offset` of `total`; `places[[offset, name]]`
            and `highlight{start, end, place}` count characters of the whole document, and so do
            `unsure[[start, end]]`, words of pictures that may have been misread. `pages` are those
            that show the highlight, as of `quoted_pages`.

        Raises:
            UnknownNameError: If there is no such document, or the filter does not allow it.
        """
        from hoptrail.api.browsing import Window, show_document

        window = Window(start, end, around, length)
        return show_document(self._seen(filter), doc_id, window)

    def quoted_pages(
        self, doc_id: str, start: int, end: int, *, filter: FilterForm | None = None
    ) -> list[JsonDict]:
        """Return the recognised pages of a document that show some of its characters.

        Args:
            doc_id: Its id.
            start: The first character, as a quote tells it.
            end: The one after the last.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            For each page `number, place, width, height, words[{start, end, box, confidence,
            unsure}]`: the
            words that are quoted; a box is x and y of four corners, in pixels of `width` and
            `height`. Empty where the text was not recognised in pictures.

        Raises:
            UnknownNameError: If there is no such document, or the filter does not allow it.
        """
        from hoptrail.api.browsing import quoted_pages

        return quoted_pages(self._seen(filter), doc_id, start, end)

    def page_picture(
        self, doc_id: str, number: int, *, filter: FilterForm | None = None
    ) -> bytes | None:
        """Return the picture of a recognised page as WebP, None where there is none.

        It may have fewer pixels than the page's `width` and `height`; its proportions are theirs.

        Args:
            doc_id: Id of the document.
            number: The page's, as `quoted_pages` tells it.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Raises:
            UnknownNameError: If there is no such document, or the filter does not allow it.
        """
        from hoptrail.api.browsing import find_page_picture

        return find_page_picture(self._seen(filter), self._handle.plain(), doc_id, number)

    def passage(self, chunk_id: str, *, filter: FilterForm | None = None) -> JsonDict | None:
        """Return a passage, None where there is none of that id or the filter does not allow it.

        Args:
            chunk_id: Its id, of a retrieval or a quote.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `chunk_id, doc_id, title, start, end, place, text`.
        """
        from hoptrail.api.browsing import find_passage

        return find_passage(self._seen(filter), chunk_id)

    def entities(
        self, search: str = "", *, limit: int = 20, filter: FilterForm | None = None
    ) -> JsonDict:
        """Return entities whose name holds a text, best first; the most connected where empty.

        Args:
            search: A name or part of one.
            limit: How many at most.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `entities[{id, name, type, description, relations}]` and whether there are `more`.
        """
        from hoptrail.api.browsing import find_entities

        return find_entities(self._seen(filter), search, limit=limit)

    def entity(
        self, entity_id: str, *, limit: int = 50, filter: FilterForm | None = None
    ) -> JsonDict:
        """Return an entity with its relations, passages and communities.

        Args:
            entity_id: Its id, of `entities` or of a relation.
            limit: Relations, and passages, at most.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `id, name, type, description, aliases, relations, relations_total, passages,
            passages_total, communities`; docs/web_api.md lists their fields.

        Raises:
            UnknownNameError: If there is no such entity, or no allowed document tells of it.
        """
        from hoptrail.api.browsing import show_entity

        return show_entity(self._seen(filter), entity_id, limit=limit)

    def neighbourhood(
        self, entity_id: str, *, nodes: int = 60, filter: FilterForm | None = None
    ) -> JsonDict:
        """Return the entities around one and the relations among them, as a graph to be drawn.

        Facts are followed over two relations, those first that most passages tell; room that is
        left is for names that only share a sentence with the entity, and for facts about these.

        Args:
            entity_id: Its id, of `entities` or of a relation.
            nodes: Entities at most, up to 200; there are at most three times as many relations.
            filter: Documents to see, as a text or in JSON form; by default as given to `open`.

        Returns:
            `id, nodes, edges, relations_total`; docs/web_api.md lists their fields.

        Raises:
            UnknownNameError: If there is no such entity, or no allowed document tells of it.
        """
        from hoptrail.api.neighbourhood import show_neighbourhood

        return show_neighbourhood(self._seen(filter), entity_id, nodes=nodes)

    def reports(self, level: int | None = None) -> list[Community]:
        """Return the communities of one level or all with their reports, without their members."""
        return self._handle.plain().communities(level)

    def export(self, to: str | Path) -> list[Path]:
        """Write the whole graph to a file: `.jsonl`, `.graphml` or `.csv`.

        Returns:
            The files that were written: with CSV a second one, of the entities.
        """
        return self._handle.plain().export(to)

    def backup(self, file: str | Path) -> list[str]:
        """Write documents, graph, vectors and conversations into one new file.

        The base may be in use, and be written to, meanwhile.

        Returns:
            The names of the databases in it.

        Raises:
            InputError: If the file exists.
            KnowledgeBaseError: If it cannot be written.
        """
        from hoptrail.stores.records.backup import write_backup

        self._handle.require_open()
        return write_backup(self._handle.path, Path(file))
