"""Choices of the operator of a web application."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hoptrail.core.settings import ServedBase
from hoptrail.indexing.options import ExtractorName
from hoptrail.web.origin_rules import OriginRules

DATA = Path("hoptrail-web")
"""Folder for the application's files, where none is named."""

LARGEST_JSON = 8 * 1024 * 1024
"""Bytes of a request's JSON: a conversation of a chat client may be long."""


@dataclass(frozen=True, slots=True)
class WebOptions:
    """The choices of one application.

    Attributes:
        bases: Where knowledge bases lie, by the name that clients use.
        data: Folder for threads, uploads, the queue and the audit log; it is made where missing.
        rules: Names that the application is called by.
        requires_key: Whether requests without a key are refused even where no key is set.
        read_only: Whether nobody may upload or delete, whatever a key allows.
        context: Fields of `Context` that hold for every question.
        extractor: Reads uploaded documents; `llm` and `auto` may cost money.
        beta: Share of their passages that a model reads.
        upload_bytes: Size of one uploaded file.
        at_once: Questions that are answered at the same time; others wait.
        waiting: Questions that may wait; others are refused.
        lists_sources: Whether chat clients are sent the sources below an answer.
        public_url: Address of the page as readers reach it; else each request tells it.
    """

    bases: Mapping[str, ServedBase]
    data: Path
    rules: OriginRules = field(default_factory=OriginRules)
    requires_key: bool = False
    read_only: bool = False
    context: Mapping[str, Any] = field(default_factory=dict)
    extractor: ExtractorName = "nlp"
    beta: float = 0.8
    upload_bytes: int = 50 * 1024 * 1024
    at_once: int = 16
    waiting: int = 1000
    lists_sources: bool = True
    public_url: str | None = None
