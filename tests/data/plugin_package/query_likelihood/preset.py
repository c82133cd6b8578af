"""Answers by graph search over the likeliest passages."""

from __future__ import annotations

from hoptrail.graphs.presets import QUESTION_TYPES, Preset

LEXICAL = Preset(
    name="lexical",
    retriever="query_likelihood",
    compress=False,
    needs_model=False,
    strategies=dict.fromkeys(QUESTION_TYPES, "graph_search"),
    choices={"k": 20},
    does="searches the graph over the likeliest passages",
    choose_for="questions that use the words of the text",
)
