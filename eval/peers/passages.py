"""Finds the passages that another system names among the chunks of a knowledge base."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from hoptrail.core.errors import InputError
from hoptrail.core.types import Chunk, Hit
from hoptrail.eval.peers.reply import PassageName, PeerReply
from hoptrail.eval.questions.gold import DocumentFinder
from hoptrail.stores.knowledge_base import KnowledgeBase

CHANNEL = "peer"


class PassageFinder:
    """Resolves names of passages to chunk ids of one knowledge base."""

    def __init__(self, knowledge_base: KnowledgeBase) -> None:
        index = knowledge_base.index
        self._store = knowledge_base.store
        doc_ids = [str(doc_id) for doc_id in index.doc_ids]
        self._documents = DocumentFinder(self._store.documents(doc_ids))
        self._chunks = {str(chunk_id) for chunk_id in index.chunk_ids}
        self._chunks_of: dict[str, list[str]] = defaultdict(list)
        for chunk_id, row in zip(index.chunk_ids, index.chunk_doc, strict=True):
            self._chunks_of[doc_ids[row]].append(str(chunk_id))

    def resolve(self, reply: PeerReply) -> list[tuple[PassageName, list[str]]]:
        """Return each passage of a reply with the ids of its chunks.

        Raises:
            InputError: If one is not in the knowledge base; names the line.
        """
        return [(name, self._chunk_ids(name, reply)) for name in reply.passages or ()]

    def hits(self, passages: Iterable[tuple[PassageName, Sequence[str]]]) -> list[Hit[Chunk]]:
        """Return the chunks of resolved passages, best first, those of a document in its order.

        A passage without a score has 1 / its rank.
        """
        found: dict[str, Hit[Chunk]] = {}
        for rank, (name, chunk_ids) in enumerate(passages, start=1):
            score = 1 / rank if name.score is None else name.score
            chunks = self._store.chunks(chunk_ids)
            for chunk in sorted(chunks, key=lambda chunk: (chunk.doc_id, chunk.start)):
                found.setdefault(chunk.id, Hit(chunk, score, CHANNEL))
        return list(found.values())

    def _chunk_ids(self, name: PassageName, reply: PeerReply) -> list[str]:
        if not name.id:
            documents = self._documents.by_passage(name.title, name.text)
        elif name.id in self._chunks:
            return [name.id]
        else:
            documents = self._documents.by_id(name.id)
            if len(documents) > 1:
                raise self._error(
                    reply, f"the passage {name.id!r} is one of several: {', '.join(documents)}"
                )
        if not documents:
            shown = name.id or name.title or name.text[:40]
            raise self._error(reply, f"the passage {shown!r} is not in the knowledge base")
        return [chunk_id for document in documents for chunk_id in self._chunks_of[document]]

    @staticmethod
    def _error(reply: PeerReply, message: str) -> InputError:
        return reply.fields.error(
            message, "name documents by id or <source>/<id>, chunks by id, or give title and text"
        )
