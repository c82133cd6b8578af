"""The choices of one run: of indexing, over the communities, of a consolidation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hoptrail.agents.community_reports.report_statements import MATERIAL_TOKENS
from hoptrail.core.errors import SettingsError
from hoptrail.indexing.loading.chunking import CHUNK_TOKENS
from hoptrail.indexing.loading.scans import MAX_PAGES, OCR_MODES, OcrMode

ExtractorName = Literal["auto", "llm", "nlp", "none"]
NAME_PROPERTIES = ("name", "title", "label", "id")
TEXT_PROPERTIES = ("text", "content", "body")
_EXTRACTORS = ("auto", "llm", "nlp", "none")

_FEWEST_TOKENS = 200


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How to index.

    Attributes:
        source: First part of the document ids; None lets the input's name decide.
        extractor: `llm` reads the most central chunks with a chat model and the others without,
            `nlp` reads all without, `none` reads none, `auto` is `llm` where a model is
            configured that is no small one.
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
        _check_dollars(self.max_usd)
        if self.source is not None and not self.source.strip("/ "):
            raise SettingsError("the source name is empty", hint="leave it out or name it")


@dataclass(frozen=True, slots=True)
class CommunityOptions:
    """How to find communities and report on them.

    Attributes:
        rebuild: Forget the earlier hierarchy and the reports that no community has any more.
        extractive: Write all missing reports without a model, also where one is configured.
        concurrency: Model calls at the same time.
        max_usd: What the run may spend at most.
        material_tokens: Tokens of a prompt that are given to what a community holds.
        seed: Seed of the clustering.
    """

    rebuild: bool = False
    extractive: bool = False
    concurrency: int = 4
    max_usd: float | None = None
    material_tokens: int = MATERIAL_TOKENS
    seed: int = 42

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise SettingsError("concurrency must be at least 1")
        if self.material_tokens < _FEWEST_TOKENS:
            raise SettingsError(
                f"material_tokens is {self.material_tokens}",
                hint=f"choose {_FEWEST_TOKENS} or more",
            )
        _check_dollars(self.max_usd)


@dataclass(frozen=True, slots=True)
class ConsolidationOptions:
    """How to tidy the graph.

    Attributes:
        entity_types: Types of the schema from now on; those that the base has where empty. Types
            are relabelled only where there are any.
        similarity: Least cosine of entities that the model is asked about. The source's 0.6 asks
            about most entities of a large graph, 0.8 about a third of them.
        concurrency: Model calls at the same time.
        max_usd: What the run may spend at most.
    """

    entity_types: tuple[str, ...] = ()
    similarity: float = 0.6
    concurrency: int = 4
    max_usd: float | None = None

    def __post_init__(self) -> None:
        if not all(name.strip() for name in self.entity_types):
            raise SettingsError("an entity type has no name", hint="name a type such as Person")
        if not 0 < self.similarity <= 1:
            raise SettingsError(f"similarity is {self.similarity}", hint="choose above 0, up to 1")
        if self.concurrency < 1:
            raise SettingsError("concurrency must be at least 1")
        _check_dollars(self.max_usd)


def _check_dollars(max_usd: float | None) -> None:
    if max_usd is not None and max_usd < 0:
        raise SettingsError(f"max_usd is {max_usd}", hint="choose 0 or more")
