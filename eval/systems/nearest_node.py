"""How near the retrieved nodes come to the answer: the soft match of DAGR."""

from __future__ import annotations

from hoptrail.core.text import name_key
from hoptrail.eval.questions.question import Question
from hoptrail.eval.systems.retrieved_graph import RetrievedGraph
from hoptrail.services.request_services import StoredVectorEmbedder
from hoptrail.stores.knowledge_source import KnowledgeSource


def nearest_node(
    question: Question, graph: RetrievedGraph | None, kb: KnowledgeSource
) -> float | None:
    """Return the highest cosine of a node's name and an accepted answer.

    It is 1 without any embedding where a node has an answer's name, and None where there are no
    nodes or the answer is no name. Blocking.
    """
    if graph is None or not graph.nodes or question.is_open:
        return None
    if question.is_yes_no or question.is_unanswerable:
        return None
    if any(name_key(form) in graph.nodes for form in question.accepted):
        return 1.0
    embedder = StoredVectorEmbedder(kb)
    nodes = embedder.embed(list(graph.nodes.values()))
    answers = embedder.embed(question.accepted)
    return round(float((nodes @ answers.T).max()), 4)
