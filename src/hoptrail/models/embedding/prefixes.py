"""The words that some embedding models want before a question, and before a passage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The words that stand before a question and before a passage when they are embedded."""

    question: str = ""
    passage: str = ""

    @property
    def are_alike(self) -> bool:
        """Whether questions and passages are embedded alike."""
        return self.question == self.passage

    def of_questions(self, texts: Iterable[str]) -> list[str]:
        """Return the questions as they are embedded."""
        return [self.question + text for text in texts]

    def of_passages(self, texts: Iterable[str]) -> list[str]:
        """Return the passages as they are embedded."""
        return [self.passage + text for text in texts]


_SEARCH = Prefixes("Represent this sentence for searching relevant passages: ")
# As the page of each model says; the first that is in a model's name counts.
_BY_MODEL = {
    "nomic-embed-text": Prefixes("search_query: ", "search_document: "),
    "mxbai-embed": _SEARCH,
    "snowflake-arctic-embed2": Prefixes("query: "),
    "snowflake-arctic-embed": _SEARCH,
    "embeddinggemma": Prefixes("task: search result | query: ", "title: none | text: "),
    "multilingual-e5": Prefixes("query: ", "passage: "),
    "qwen3-embedding": Prefixes(
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\n"
        "Query:"
    ),
}


def prefixes_of(model: str) -> Prefixes:
    """Return the prefixes of a model, none where none are known.

    Args:
        model: Its name as Ollama or FastEmbed has it.
    """
    name = model.lower()
    return next((found for part, found in _BY_MODEL.items() if part in name), Prefixes())
