"""The choices of one indexing run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hoptrail.core.errors import SettingsError
from hoptrail.indexing.loading.chunking import CHUNK_TOKENS
from hoptrail.indexing.loading.scans.mode import MAX_PAGES, OCR_MODES, OcrMode

ExtractorName = Literal["auto", "llm", "nlp", "none"]
NAME_PROPERTIES = ("name", "title", "label", "id")
TEXT_PROPERTIES = ("text", "content", "body")
_EXTRACTORS = ("auto", "llm", "nlp", "none")


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How to index.

    Attributes:
        source: First part of the document ids; None lets the input's name decide.
        extractor: `llm` reads the most central chunks with a chat model and the others without,
            `nlp` reads all without, `none` reads none, `auto` is `llm` where a model is configured.
        triples: Files of triples that others extracted.
        beta: Share of the chunks that `llm` gives to the chat model.
        chunk_tokens: Size of a chunk.
        concurrency: Model calls at the same time.
        max_usd: What the run may spend at most.
        retry_failed: Whether chunks that failed before are tried again.
        entity_types: Types that extraction is to use; the model chooses where empty.
        graph_description: What the graph is for, to guide extraction.
        embeddings: File that keeps the vectors of texts for other knowledge bases too.
        code: Whether files of code within folders are read.
        ignore: Whether folders of tools, and what `.gitignore` names, are left out of folders.
        graph_labels: Labels of the nodes that are read from a Neo4j database; all where empty.
        name_properties: Their properties that may hold a name, the first that a node has counts.
        text_properties: Their properties that hold text.
        private_addresses: Whether documents of the web may come from this machine and from private
            networks.
        ocr: `auto` recognises pictures and pages without usable text where the extra `ocr` is
            installed, `off` none, `force` every page of PDF files too.
        ocr_pages: Pages of one file that are recognised at most.
    """

    source: str | None = None
    extractor: ExtractorName = "auto"
    triples: tuple[Path, ...] = ()
    beta: float = 0.8
    chunk_tokens: int = CHUNK_TOKENS
    concurrency: int = 4
    max_usd: float | None = None
    retry_failed: bool = False
    entity_types: tuple[str, ...] = ()
    graph_description: str = ""
    embeddings: Path | None = None
    code: bool = False
    ignore: bool = True
    private_addresses: bool = False
    graph_labels: tuple[str, ...] = ()
    name_properties: tuple[str, ...] = NAME_PROPERTIES
    text_properties: tuple[str, ...] = TEXT_PROPERTIES
    ocr: OcrMode = "auto"
    ocr_pages: int = MAX_PAGES

    def __post_init__(self) -> None:
        if self.extractor not in _EXTRACTORS:
            known = ", ".join(_EXTRACTORS)
            raise SettingsError(f"unknown extractor {self.extractor!r}", hint=f"known: {known}")
        if self.ocr not in OCR_MODES:
            known = ", ".join(OCR_MODES)
            raise SettingsError(f"unknown value {self.ocr!r} of ocr", hint=f"known: {known}")
        if self.ocr_pages < 1:
            raise SettingsError("ocr_pages must be at least 1", hint='ocr="off" recognises none')
        if not 0 <= self.beta <= 1:
            raise SettingsError(f"beta is {self.beta}", hint="choose a share between 0 and 1")
        if self.chunk_tokens < 1 or self.concurrency < 1:
            raise SettingsError("chunk_tokens and concurrency must be at least 1")
        if self.max_usd is not None and self.max_usd < 0:
            raise SettingsError(f"max_usd is {self.max_usd}", hint="choose 0 or more")
        if self.source is not None and not self.source.strip("/ "):
            raise SettingsError("the source name is empty", hint="leave it out or name it")
