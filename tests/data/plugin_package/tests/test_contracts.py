from __future__ import annotations

from query_likelihood.preset import LEXICAL
from query_likelihood.retriever import QueryLikelihoodRetriever

from hoptrail.testing.contracts import PresetContract, RetrieverContract


class TestQueryLikelihood(RetrieverContract):
    retriever_class = QueryLikelihoodRetriever


class TestLexical(PresetContract):
    preset = LEXICAL
