from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import get_type_hints

import numpy as np
import pytest

from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.core.settings import Settings
from hoptrail.core.types import Document
from hoptrail.graphs.context import Context
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.services.open_knowledge_bases import forget_knowledge_base, register_knowledge_base
from hoptrail.services.request_services import Services, resolve_services
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing.embedder import HashingEmbedder
from tests.embedders import CountingEmbedder

NAME = "services"


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def services(tmp_path: Path, embedder: CountingEmbedder) -> Iterator[Services]:
    with KnowledgeBase.open(tmp_path, embedder=embedder, create=True) as kb:
        Indexer(kb, settings=Settings()).index(
            [Document("t/yard", "Alder Yard", "Edda Thorn founded the Alder Yard.", "t")],
            IndexOptions(extractor="nlp"),
        )
        register_knowledge_base(NAME, kb, Settings())
        embedder.texts.clear()
        yield resolve_services(Context(knowledge_base=NAME))
    forget_knowledge_base(NAME)


def test_a_request_is_handed_no_knowledge_base(services: Services) -> None:
    types = get_type_hints(Services).values()
    held = [getattr(services, field.name) for field in fields(Services)]

    assert KnowledgeBase not in types
    assert not any(isinstance(value, KnowledgeBase | ModuleType) for value in held)


def test_the_embedder_embeds_only_what_has_no_stored_vector(
    services: Services, embedder: CountingEmbedder
) -> None:
    stored = "Alder Yard\nEdda Thorn founded the Alder Yard."

    vectors = services.embedder.embed([stored, "a text of its own"])

    assert embedder.texts == ["a text of its own"]
    assert np.allclose(vectors, HashingEmbedder().embed([stored, "a text of its own"]), atol=1e-3)
    assert (services.embedder.name, services.embedder.dim) == (embedder.name, embedder.dim)


def test_an_unknown_knowledge_base_is_named() -> None:
    with pytest.raises(UnknownNameError, match="knowledge base 'nowhere'"):
        resolve_services(Context(knowledge_base="nowhere"))


def test_a_model_that_nobody_listed_is_refused(services: Services) -> None:
    with pytest.raises(SettingsError, match="not listed here"):
        resolve_services(Context(knowledge_base=NAME, models={"judge": "openai:other"}))
