"""A subgraph as text for the prompt of a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hoptrail.core.node_names import is_unnamed, predicate_words
from hoptrail.models.graph_llm.graph_input import GraphInput


def text_form(graph: GraphInput, tokens: Callable[[str], int], budget: int) -> str:
    """Return the best triples that fit, one `head | predicate | tail` a line, best first.

    Triples are left out whole: those that would not even fit alone, and all from the first one on
    that the others leave no room for. A node without a name is written as its number, of a dotted
    predicate the last part, which tells most of it.

    Args:
        graph: The subgraph, edges best first.
        tokens: Number of tokens of a text for the model that reads it.
        budget: Most tokens.

    Source: "Graph-augmented LLaMA", step 3f.
    """
    kept: list[str] = []
    left = budget
    for line in _lines(graph):
        needed = tokens(f"{line}\n")
        if needed > budget:
            continue
        if needed > left:
            break
        kept.append(line)
        left -= needed
    # A tokenizer may need more for the whole than for its lines.
    while kept and tokens("\n".join(kept)) > budget:
        kept.pop()
    return "\n".join(kept)


def _lines(graph: GraphInput) -> Iterator[str]:
    for source, predicate, target in graph.edges:
        head, tail = (_readable(graph.nodes[number], number) for number in (source, target))
        yield f"{head} | {_short(predicate)} | {tail}"


def _short(predicate: str) -> str:
    """Return a predicate's words; of a dotted one (`people.person.parents`) the last part's."""
    last = "" if " " in predicate else predicate.rpartition(".")[2]
    return predicate_words(last or predicate)


def _readable(name: str, number: int) -> str:
    return f"#{number}" if is_unnamed(name) else " ".join(name.split())
