"""Retrievers by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from langchain_core.retrievers import BaseRetriever
from pydantic import ValidationError

from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.dagr import DagrRetriever
from hoptrail.retrievers.dotrag.retriever import DotRetriever
from hoptrail.retrievers.graphrag.local_search import CommunityRetriever
from hoptrail.retrievers.ket.retriever import KetRetriever
from hoptrail.retrievers.lightrag import LightRagRetriever
from hoptrail.retrievers.multistage.retriever import MultiStageRetriever
from hoptrail.retrievers.pathrag import PathRagRetriever
from hoptrail.retrievers.ppr.retriever import PprRetriever
from hoptrail.retrievers.relation_path.retriever import RelationPathRetriever
from hoptrail.retrievers.text.bm25 import BM25Retriever
from hoptrail.retrievers.text.full_context import FullRetriever
from hoptrail.retrievers.text.vector import VectorRetriever
from hoptrail.stores.knowledge_base import KnowledgeBase

RETRIEVERS: Mapping[str, type[Retriever]] = MappingProxyType(
    {
        cls.name_in_registry: cls
        for cls in (
            BM25Retriever,
            CommunityRetriever,
            DagrRetriever,
            DotRetriever,
            FullRetriever,
            KetRetriever,
            LightRagRetriever,
            MultiStageRetriever,
            PathRagRetriever,
            PprRetriever,
            RelationPathRetriever,
            VectorRetriever,
        )
    }
)


def make_retriever(name: str, kb: KnowledgeBase, /, **parameters: Any) -> Retriever:
    """Return a retriever over a knowledge base.

    Args:
        name: A name of `RETRIEVERS`.
        kb: The open knowledge base.
        **parameters: Fields of that retriever, such as `k`, `budget` or `theta`.

    Raises:
        UnknownNameError: If no retriever has the name, or it has no such parameter.
        SettingsError: If a parameter has a value that cannot be used.
    """
    if name not in RETRIEVERS:
        raise UnknownNameError("retriever", name, RETRIEVERS)
    known = RETRIEVERS[name].model_fields.keys() - {"kb"}
    for parameter in parameters:
        if parameter not in known:
            kind = f"parameter of retriever {name}"
            raise UnknownNameError(kind, parameter, known - BaseRetriever.model_fields.keys())
    try:
        return RETRIEVERS[name](kb=kb, **parameters)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"retriever {name}, {field}: {first['msg']}") from error
