"""Retrievers by name: the built-in ones, and those that installed packages add."""

from __future__ import annotations

from typing import Any

from langchain_core.retrievers import BaseRetriever
from pydantic import ValidationError

from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.core.plugins import RETRIEVER_GROUP, Registry
from hoptrail.retrievers.base.retriever import Retriever
from hoptrail.retrievers.dagr import DagrRetriever
from hoptrail.retrievers.dotrag import DotRetriever
from hoptrail.retrievers.graphrag import CommunityRetriever
from hoptrail.retrievers.ket import KetRetriever
from hoptrail.retrievers.lightrag import LightRagRetriever
from hoptrail.retrievers.multistage import MultiStageRetriever
from hoptrail.retrievers.pathrag import PathRagRetriever
from hoptrail.retrievers.ppr import PprRetriever
from hoptrail.retrievers.relation_path import RelationPathRetriever
from hoptrail.retrievers.setwise import SetwiseRetriever
from hoptrail.retrievers.text import BM25Retriever, FullRetriever, VectorRetriever
from hoptrail.stores.knowledge_source import KnowledgeSource

_BUILT_IN: tuple[type[Retriever], ...] = (
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
    SetwiseRetriever,
    VectorRetriever,
)


def _name_of(value: object) -> str | None:
    is_retriever = isinstance(value, type) and issubclass(value, Retriever)
    return getattr(value, "name_in_registry", "") if is_retriever else None


RETRIEVERS: Registry[type[Retriever]] = Registry(
    {cls.name_in_registry: cls for cls in _BUILT_IN},
    kind="retriever",
    group=RETRIEVER_GROUP,
    name_of=_name_of,
    expected="a subclass of Retriever",
)


def make_retriever(name: str, kb: KnowledgeSource, /, **parameters: Any) -> Retriever:
    """Return a retriever over a knowledge base.

    Args:
        name: A name of `RETRIEVERS`.
        kb: The open knowledge base.
        **parameters: Fields of that retriever, such as `k`, `budget` or `theta`.

    Raises:
        UnknownNameError: If no retriever has the name, or it has no such parameter.
        PluginError: If an installed package adds the retriever and it cannot be used.
        SettingsError: If a parameter has a value that cannot be used.
    """
    retriever_class = RETRIEVERS.find(name)
    known = retriever_class.model_fields.keys() - {"kb"}
    for parameter in parameters:
        if parameter not in known:
            kind = f"parameter of retriever {name}"
            raise UnknownNameError(kind, parameter, known - BaseRetriever.model_fields.keys())
    try:
        return retriever_class(kb=kb, **parameters)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"retriever {name}, {field}: {first['msg']}") from error
